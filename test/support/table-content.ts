// Everything that is in the tables of an embedded store, to compare what was there before with what is there after.

import { DatabaseSync } from "node:sqlite";

/** A line for each row of each table. The store may be in service. */
export function readAllRows(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all();
    return tables
      .flatMap(({ name }) => {
        const rows = database.prepare(`SELECT * FROM "${String(name)}"`).all();
        return rows.map((row) => `${String(name)} ${JSON.stringify(row)}`);
      })
      .join("\n");
  } finally {
    database.close();
  }
}
