// Transactions and accounts from CSV files, plain or gzipped, with the columns of IBM's AMLSim. Reads as a stream, a row
// at a time; never guesses at a value that it can't read.

import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CsvError, parse } from "csv-parse";
import type { Payload } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import type { Source } from "./input.ts";

const dayMs = 86_400_000;
const firstDay = Date.UTC(2025, 0, 1);

type Row = Readonly<Record<string, string>>;

interface Mapping {
  readonly columns: readonly string[];
  /** `index` counts rows from 0. Throws OperatorError that says which value can't be read. */
  readonly map: (row: Row, index: number) => Payload;
}

/** sourceNodeId, targetNodeId, value, and time in days. */
const transactionMapping: Mapping = {
  columns: ["sourceNodeId", "targetNodeId", "value", "time"],
  map: (row, index) => ({
    tx_id: `tx-${index + 1}`,
    type: "DEPOSIT",
    method: "INTERNAL_TRANSFER",
    amount: number(row, "value"),
    currency: "USD",
    status: "CREATED",
    sender_id: `person-${text(row, "sourceNodeId")}`,
    sender_country: "US",
    receiver_id: `person-${text(row, "targetNodeId")}`,
    receiver_country: "US",
    timestamp: timeOfDay(number(row, "time"), index),
  }),
};

/** nodeid, isFraud (0 or 1, or true or false), init_balance. */
const accountMapping: Mapping = {
  columns: ["nodeid", "isFraud", "init_balance"],
  map: (row) => ({
    assessment_id: `assessment-${text(row, "nodeid")}`,
    type: "account risk band",
    outcome: /^(?:1|true)$/i.test(text(row, "isFraud")) ? "HIGH" : "LOW",
    related_person_id: `person-${text(row, "nodeid")}`,
    additional_properties: [
      { key: "init_balance", value: text(row, "init_balance"), type: "NUMBER" },
    ],
    timestamp: new Date(firstDay).toISOString(),
  }),
};

/** At most `countMax` of them. Reads the file through once, so that a fault in it shows before anything is sent. */
export function openTransactions(file: string, countMax: number): Promise<Source> {
  return openCsv(file, transactionMapping, countMax);
}

export function openAccounts(file: string): Promise<Source> {
  return openCsv(file, accountMapping, Number.POSITIVE_INFINITY);
}

async function openCsv(file: string, mapping: Mapping, countMax: number): Promise<Source> {
  let count = 0;
  for await (const _ of readRows(file, mapping, countMax)) count += 1;
  if (count === 0) throw new OperatorError("input", `${file} has no rows.`);
  return { count, read: () => readRows(file, mapping, countMax) };
}

async function* readRows(
  file: string,
  mapping: Mapping,
  countMax: number,
): AsyncGenerator<Payload> {
  const parser = parse({
    bom: true,
    skip_empty_lines: true,
    trim: true,
    columns: (titles: string[]) => requireColumns(titles, mapping, file),
  });
  const unzip = file.endsWith(".gz") ? [createGunzip()] : [];
  const reading = pipeline([createReadStream(file), ...unzip, parser]);
  reading.catch(() => undefined);
  let index = 0;
  try {
    for await (const row of parser as AsyncIterable<Row>) {
      if (index >= countMax) break;
      yield mapRow(row, { file, mapping, index });
      index += 1;
    }
  } catch (cause) {
    throw explain(cause, file);
  } finally {
    parser.destroy();
  }
}

function mapRow(
  row: Row,
  { file, mapping, index }: { file: string; mapping: Mapping; index: number },
): Payload {
  try {
    return mapping.map(row, index);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError("input", `${file}, row ${index + 1}: ${error.message}`);
  }
}

function requireColumns(titles: string[], { columns }: Mapping, file: string): string[] {
  const missing = columns.filter((column) => !titles.includes(column));
  if (missing.length === 0) return titles;
  throw new OperatorError(
    "input",
    `${file} has no column${missing.length === 1 ? "" : "s"} ${missing.join(", ")}; its columns are ` +
      `${titles.slice(0, 20).join(", ")}.`,
  );
}

function explain(cause: unknown, file: string): Error {
  if (cause instanceof OperatorError) return cause;
  if (cause instanceof CsvError)
    return new OperatorError("input", `${file} is not CSV: ${cause.message}`);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code === "ENOENT") return new OperatorError("input", `There is no file ${file}.`);
  if (code.startsWith("Z_")) return new OperatorError("input", `${file} is not valid gzip data.`);
  return cause instanceof Error
    ? new OperatorError("input", `${file}: ${cause.message}`)
    : new Error(String(cause));
}

function text(row: Row, column: string): string {
  const value = row[column] ?? "";
  if (value !== "") return value;
  throw new OperatorError("input", `${column} is empty.`);
}

function number(row: Row, column: string): number {
  const value = Number(text(row, column));
  if (Number.isFinite(value)) return value;
  throw new OperatorError("input", `${column} is "${row[column] ?? ""}" and not a number.`);
}

/** Days since the first one, with the rows of a day spread over it. */
function timeOfDay(days: number, index: number): string {
  const at = firstDay + Math.floor(days * dayMs) + ((index * 7_919) % 86_400) * 1_000;
  if (Math.abs(days) > 365_000)
    throw new OperatorError("input", `time is ${days} and must be in days.`);
  return new Date(at).toISOString();
}
