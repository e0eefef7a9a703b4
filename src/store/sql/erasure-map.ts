// Every column of every table of both engines: how an erasure removes it, or why it remains, as stated in the schema. A
// test compares this with the real tables, and with what a deletion leaves in them. Erases nothing.

import { type Fate, readTables } from "./schema.ts";

type FatesOfTable = Readonly<Record<string, Fate | undefined>>;

/** The keys are the names of tables and columns. */
export const erasureMap: Readonly<Record<string, FatesOfTable>> = mapTables();

function mapTables(): Readonly<Record<string, FatesOfTable>> {
  const map: Record<string, FatesOfTable> = {};
  for (const [name, { columns }] of [...readTables("postgres"), ...readTables("sqlite")]) {
    const fates = Array.from(columns, ([column, { fate }]) => [column, fate] as const);
    map[name] = { ...map[name], ...Object.fromEntries(fates) };
  }
  return map;
}

const nothing = "contains nothing about any record";

/** False for a column that contains nothing about any record; undefined for an unknown column. */
export function isAboutRecords(table: string, column: string): boolean | undefined {
  const columns = erasureMap[table] ?? {};
  if (!Object.hasOwn(columns, column)) return undefined;
  const fate = columns[column];
  return fate === undefined || !("retained" in fate) || fate.retained !== nothing;
}
