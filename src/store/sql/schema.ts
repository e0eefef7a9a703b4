// The tables of a new store as schema.sql and the store parts describe them: the statements that make them on an
// engine, and the columns of a table. Runs no statement.

import { readFileSync } from "node:fs";
import { storeParts } from "../parts.ts";
import { schemaText } from "./schema-text.ts";
import type { EngineName } from "./statement/statements.ts";

export function schemaFor(engine: EngineName): string {
  const texts = [new URL("schema.sql", import.meta.url), ...storeParts.map(({ schema }) => schema)];
  return schemaText(engine, texts.map((text) => readFileSync(text, "utf8")).join("\n"));
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

/** The tables of an engine by their names. */
export function readTables(engine: EngineName): ReadonlyMap<string, Table> {
  const tables = new Map<string, DescribedTable>();
  let open: DescribedTable | undefined;
  let comment = "";
  for (const line of schemaFor(engine)
    .split("\n")
    .map((text) => text.trim())) {
    const [, name] = /^CREATE TABLE (\w+) \($/.exec(line) ?? [];
    if (name !== undefined) {
      open = { key: [], columns: new Map(), fate: fateIn(comment) };
      tables.set(name, open);
    } else if (line.startsWith(")")) open = undefined;
    else if (open !== undefined && /^\w/.test(line)) {
      const [column = "", type = ""] = line.split(/\W/);
      open.key.push(...keyIn(line));
      if (column !== "PRIMARY")
        open.columns.set(column, { type, fate: fateIn(comment) ?? open.fate });
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
