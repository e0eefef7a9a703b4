// The floor of an import, `node bench/import-floor.ts CSV DATABASE`: one thread that splits lines at commas, makes JSON
// of the cells and inserts it into the two tables of the floor, in groups. Checks nothing, and skips rows that exist.

import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { createTables, openDatabase, organizationId, resourceType } from "./floor-schema.ts";
import { recordOf } from "./import-input.ts";

const groupRows = 1_000;

const [csv = "", path = ""] = process.argv.slice(2);
const isNew = !existsSync(path);
const database = openDatabase(path);
if (isNew) createTables(database);
const startedAt = performance.now();
const counts = await importRows(database);
const seconds = (performance.now() - startedAt) / 1_000;
database.close();
process.stdout.write(JSON.stringify({ ...counts, seconds }));

async function importRows(to: DatabaseSync) {
  const insertRecord = to.prepare(
    `INSERT INTO record VALUES ('${organizationId}', '${resourceType}', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const insertChange = to.prepare("INSERT INTO change VALUES (?, ?, ?, NULL, ?)");
  const run = (statement: typeof insertRecord, ...values: SQLInputValue[]) =>
    Number(statement.run(...values).changes);
  let [rows, written] = [-1, 0];
  for await (const line of createInterface({ input: createReadStream(csv), crlfDelay: Infinity })) {
    rows += 1;
    if (rows === 0) continue;
    if (rows % groupRows === 1) to.exec("BEGIN IMMEDIATE");
    const record = recordOf(line.split(","));
    const [id, time] = [String(record["tx_id"]), String(record["timestamp"])];
    if (run(insertRecord, id, rows, time, time) === 1) {
      written += run(insertChange, rows, rows, Date.now(), JSON.stringify(record));
    }
    if (rows % groupRows === 0) to.exec("COMMIT");
  }
  if (to.isTransaction) to.exec("COMMIT");
  return { rows, written, unchanged: rows - written, refused: 0 };
}
