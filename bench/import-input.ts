// The input of the benchmark of imports: the same generated transactions as CSV, with column names that need a mapping
// as banks send them, and as NDJSON.

import { closeSync, openSync, writeSync } from "node:fs";
import { makeRandom } from "../test/support/random.ts";

const pieceCharacters = 1_024 * 1_024;
const columns = [
  ["TXN_ID", "tx_id"],
  ["direction", "type"],
  ["scheme", "method"],
  ["value", "amount"],
  ["ccy", "currency"],
  ["state", "status"],
  ["payer", "sender_id"],
  ["payer_country", "sender_country"],
  ["payee", "receiver_id"],
  ["payee_country", "receiver_country"],
  ["booked", "timestamp"],
] as const;

export const csvMapping = columns
  .map(([column, field]) => `${field}=${column}${field === "timestamp" ? "@unix" : ""}`)
  .join(",");

export interface InputFiles {
  readonly csv: string;
  readonly ndjson: string;
}

export function writeInput(
  { csv, ndjson }: InputFiles,
  { rows, seed }: { readonly rows: number; readonly seed: number },
): void {
  const random = makeRandom(seed);
  const asCsv = openLines(csv);
  const asNdjson = openLines(ndjson);
  asCsv.add(columns.map(([column]) => column).join(","));
  for (let row = 1; row <= rows; row += 1) {
    const cells = [
      `tx-${row}`,
      random.pick(["DEPOSIT", "WITHDRAWAL"]),
      random.pick(["SEPA", "SWIFT", "CARD", "WIRE"]),
      (random.integer(0, 9_999_999) / 100).toFixed(2),
      random.pick(["EUR", "USD", "GBP"]),
      random.pick(["CREATED", "SETTLED", "PENDING"]),
      `person-${random.integer(0, 49_999)}`,
      random.pick(["DE", "FR", "US", "GB"]),
      `person-${random.integer(0, 49_999)}`,
      random.pick(["DE", "FR", "US", "GB"]),
      String(1_767_225_600 + random.integer(0, 7_775_999)),
    ];
    asCsv.add(cells.join(","));
    asNdjson.add(JSON.stringify(recordOf(cells)));
  }
  asCsv.end();
  asNdjson.end();
}

/** The record that the mapping makes of a row. */
export function recordOf(cells: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    columns.map(([, field], index) => [field, valueOf(field, cells[index] ?? "")]),
  );
}

function valueOf(field: string, cell: string): unknown {
  if (field === "amount") return Number(cell);
  if (field !== "timestamp") return cell;
  return new Date(Number(cell) * 1_000).toISOString().replace(".000", "");
}

function openLines(path: string) {
  const file = openSync(path, "w");
  let text = "";
  const write = (): void => {
    writeSync(file, text);
    text = "";
  };
  return {
    add: (line: string) => {
      text += `${line}\n`;
      if (text.length > pieceCharacters) write();
    },
    end: () => {
      write();
      closeSync(file);
    },
  };
}
