// The tables of a new store as schema.sql describes them: the statements that make them on an engine, and the columns
// of a table. Runs no statement.

import { readFileSync } from "node:fs";
import { published } from "./migrations.ts";
import { schemaText } from "./schema-text.ts";
import type { EngineName } from "./statement/statements.ts";

export function schemaFor(engine: EngineName): string {
  return schemaText(engine, readFileSync(new URL("schema.sql", import.meta.url), "utf8"));
}

/** How an erasure removes the column, or why it remains. */
export type Fate = { readonly erased: string } | { readonly retained: string };

interface Column {
  /** The type on PostgreSQL. */
  readonly type: string;
  /** Undefined if neither the comment of the column nor that of its table says it. */
  readonly fate: Fate | undefined;
}

export interface Table {
  /** The columns of the primary key. */
  readonly key: string[];
  readonly columns: Map<string, Column>;
}

interface DescribedTable extends Table {
  /** The default for columns that do not say it themselves. */
  readonly fate: Fate | undefined;
}

/** The tables of an engine by their names, as the schema and the migrations describe them. */
export function readTables(engine: EngineName, migrations = published): ReadonlyMap<string, Table> {
  const tables = new Map<string, DescribedTable>();
  let open: DescribedTable | undefined;
  let comment = "";
  const sql = [schemaFor(engine), ...migrations.map((text) => schemaText(engine, text))];
  const lines = sql.flatMap((text) => text.split("\n")).map((line) => line.trim());
  for (const line of lines) {
    const [, name] = /^CREATE TABLE (\w+) \($/.exec(line) ?? [];
    const [, dropped = "", gone = ""] =
      /^(?:DROP|ALTER) TABLE (\w+)(?:;| DROP COLUMN (\w+))/.exec(line) ?? [];
    const [, altered = "", added = ""] = /^ALTER TABLE (\w+) ADD COLUMN (.*)/.exec(line) ?? [];
    if (gone !== "") tables.get(dropped)?.columns.delete(gone);
    else if (dropped !== "") tables.delete(dropped);
    else if (name !== undefined) {
      open = { key: [], columns: new Map(), fate: fateIn(comment) };
      tables.set(name, open);
    } else if (line.startsWith(")")) open = undefined;
    else if (/^\w/.test(line)) {
      const table = open ?? tables.get(altered);
      const [column = "", type = ""] = (added || line).split(/\W/);
      const fate = fateIn(comment) ?? table?.fate;
      table?.key.push(...keyIn(line));
      if (column !== "PRIMARY") table?.columns.set(column, { type, fate });
    }
    comment = line.startsWith("-- ") ? `${comment}${line.slice(2)}` : "";
  }
  return tables;
}

/** The key that a line declares, of one column or several. */
function keyIn(line: string): readonly string[] {
  const [, list, column] = /^PRIMARY KEY \(([^)]*)\)|^(\w+) .*PRIMARY KEY/.exec(line) ?? [];
  return list?.split(", ") ?? (column === undefined ? [] : [column]);
}

function fateIn(comment: string): Fate | undefined {
  const [, kind, text = ""] = / (erased|retained): (.*)$/.exec(comment) ?? [];
  if (kind === undefined) return undefined;
  return kind === "erased" ? { erased: text } : { retained: text };
}
