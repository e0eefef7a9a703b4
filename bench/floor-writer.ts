// The writer thread of the floor: commits all writes that have arrived together, and then answers them together. One
// fsync serves all of them; none is answered before it.

import type { SQLInputValue } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openDatabase, organizationId, resourceType } from "./floor-schema.ts";
import type { FloorMode, FloorOutcome } from "./floor-store.ts";

/** One request, with three texts per record: id, timestamp, payload. */
export interface FloorWrite {
  readonly mode: FloorMode;
  readonly fields: readonly string[];
}

interface Row {
  readonly write: number;
  readonly mode: FloorMode;
  readonly id: string;
  readonly timestamp: string;
  readonly payload: string;
  recordNo: number | undefined;
}

const rowsPerStatement = 16;
const port = parentPort;
if (port === null) throw new Error("floor-writer.ts runs as a worker thread");
const database = openDatabase(String(workerData));
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const insertRecords = makeInsert(
  "INSERT INTO record (record_no, organization_id, resource_type, resource_id, first_seen, last_seen) VALUES",
  `(?, '${organizationId}', '${resourceType}', ?, ?, ?)`,
  "ON CONFLICT DO NOTHING",
);
const insertChanges = makeInsert(
  "INSERT INTO change (record_no, change_no, received_at, payload) VALUES",
  "(?, ?, ?, ?)",
);
const touchRecord = database.prepare(
  `UPDATE record SET first_seen = min(first_seen, ?2), last_seen = max(last_seen, ?2)
   WHERE organization_id = '${organizationId}' AND resource_type = '${resourceType}' AND resource_id = ?1
   RETURNING record_no`,
);
let lastNo = 0;

port.on("message", (first: readonly FloorWrite[] | "stop") => {
  if (first === "stop") {
    database.close();
    port.close();
    return;
  }
  const writes = [...first];
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
    writes.push(...(more.message as readonly FloorWrite[]));
  }
  port.postMessage(commitGroup(writes), []);
});

function commitGroup(writes: readonly FloorWrite[]): readonly FloorOutcome[] {
  const rows = writes.flatMap(({ mode, fields }, write) => readRows(write, mode, fields));
  begin.run();
  writeNewRecords(rows.filter(({ mode }) => mode !== "update"));
  for (const row of rows) if (row.mode === "update") row.recordNo = touch(row);
  writeChanges(rows);
  commit.run();
  const outcomes = writes.map(() => true);
  for (const { write, recordNo } of rows) if (recordNo === undefined) outcomes[write] = false;
  return outcomes;
}

function readRows(write: number, mode: FloorMode, fields: readonly string[]): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < fields.length; index += 3) {
    const [id = "", timestamp = "", payload = ""] = [
      fields[index],
      fields[index + 1],
      fields[index + 2],
    ];
    rows.push({ write, mode, id, timestamp, payload, recordNo: (lastNo += 1) });
  }
  return rows;
}

function writeNewRecords(rows: readonly Row[]): void {
  const written = insertRecords(rows, (row) => [
    row.recordNo ?? 0,
    row.id,
    row.timestamp,
    row.timestamp,
  ]);
  if (written === rows.length) return;
  // Some records existed already: find the record of each id.
  for (const row of rows) {
    const recordNo = touch(row);
    row.recordNo = row.mode === "add" && recordNo !== row.recordNo ? undefined : recordNo;
  }
}

function writeChanges(rows: readonly Row[]): void {
  const receivedAt = Date.now();
  const accepted = rows.filter(({ recordNo }) => recordNo !== undefined);
  insertChanges(accepted, (row) => [row.recordNo ?? 0, (lastNo += 1), receivedAt, row.payload]);
}

function touch({ id, timestamp }: Row): number | undefined {
  const found = touchRecord.get(id, timestamp);
  return found === undefined ? undefined : Number(found["record_no"]);
}

/** Inserts any number of rows with few statements; returns the number written. */
function makeInsert(head: string, tuple: string, tail = "") {
  const tuples = Array<string>(rowsPerStatement).fill(tuple).join(", ");
  const many = database.prepare(`${head} ${tuples} ${tail}`);
  const one = database.prepare(`${head} ${tuple} ${tail}`);
  return (rows: readonly Row[], values: (row: Row) => SQLInputValue[]): number => {
    let written = 0;
    let index = 0;
    for (; index + rowsPerStatement <= rows.length; index += rowsPerStatement) {
      const chunk = rows.slice(index, index + rowsPerStatement);
      written += Number(many.run(...chunk.flatMap(values)).changes);
    }
    for (const row of rows.slice(index)) written += Number(one.run(...values(row)).changes);
    return written;
  };
}
