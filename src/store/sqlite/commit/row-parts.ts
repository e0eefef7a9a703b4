// Statements over several rows at once. Each has one text for every size of a part, so that it is prepared once.

import type { Connection, Value } from "../connection.ts";

/** How many rows one statement takes: the largest of these that does not exceed the number of rows. */
const partSizes = [16, 4, 1] as const;

/** The text of a statement for a part of each size; `rows` repeats a tuple as many times. Throws TypeError. */
export function textsBySize(
  write: (rows: (tuple: string) => string) => string,
): (size: number) => string {
  const texts = new Map<number, string>(
    partSizes.map((size) => [
      size,
      write((tuple) => Array.from({ length: size }, () => tuple).join()),
    ]),
  );
  return (size) => {
    const text = texts.get(size);
    if (text === undefined) throw new TypeError(`no statement takes ${size} rows`);
    return text;
  };
}

/** How many of `left` rows the next statement takes; at least one. */
export function nextPartSize(left: number): number {
  return partSizes.find((size) => size <= left) ?? 1;
}

type ValuesOf = readonly Value[];
type TextOf = (size: number) => string;

/** Calls `work` with the statement for each part of the rows, and its values. */
function inParts(
  textOf: TextOf,
  rows: readonly ValuesOf[],
  work: (sql: string, values: ValuesOf) => void,
): void {
  for (let from = 0; from < rows.length;) {
    const size = nextPartSize(rows.length - from);
    const values: Value[] = [];
    for (let at = from; at < from + size; at += 1) values.push(...(rows[at] ?? []));
    work(textOf(size), values);
    from += size;
  }
}

/** Runs a statement of `textsBySize` for all rows. */
export function runForAll(connection: Connection, textOf: TextOf, rows: readonly ValuesOf[]): void {
  inParts(textOf, rows, (sql, values) => void connection.run(sql, ...values));
}

/** What a statement of `textsBySize` answers for all rows, each answer as a list of its columns. */
// The columns are known where the statement is written.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function readForAll<Columns>(
  connection: Connection,
  textOf: TextOf,
  rows: readonly ValuesOf[],
): Columns[] {
  const found: Columns[] = [];
  inParts(textOf, rows, (sql, values) => {
    for (const row of connection.lists(sql, ...values)) found.push(row as Columns);
  });
  return found;
}
