// Digests of later changes, by which an identical change is found, and their index. The first change of a record has
// none: it is found by its key.

import { payloadDigest } from "../../payload-digest.ts";
import type { Connection } from "../connection.ts";

const addColumn = `ALTER TABLE change ADD COLUMN digest INTEGER`;

/** Built once at the end, which is faster than row by row. */
const addIndex = `
  CREATE INDEX change_by_digest ON change (record_no, digest) WHERE digest IS NOT NULL`;

const findLater = `
  SELECT record_no, change_no, payload FROM change
  WHERE (record_no, change_no) > (?, ?) AND change_no <> record_no
  ORDER BY record_no, change_no LIMIT ?`;

const setDigest = `UPDATE change SET digest = ? WHERE record_no = ? AND change_no = ?`;

interface LaterChange {
  readonly record_no: number;
  readonly change_no: number;
  readonly payload: string;
}

type Digest = readonly [digest: number, recordNo: number, changeNo: number];

const batchRows = 5_000;

/** Reads a batch before it writes, because rows must not change during a scan. Keeps no payload in memory. */
export function digests(connection: Connection): void {
  connection.exec(addColumn);
  for (let from: Digest = [0, 0, 0]; ;) {
    const batch = readBatch(connection, from);
    for (const digest of batch) connection.run(setDigest, ...digest);
    const last = batch.at(-1);
    if (last === undefined) break;
    from = last;
  }
  connection.exec(addIndex);
}

function readBatch(connection: Connection, [, ...after]: Digest): readonly Digest[] {
  const batch: Digest[] = [];
  for (const row of connection.each<LaterChange>(findLater, ...after, batchRows)) {
    batch.push([payloadDigest(row.payload), row.record_no, row.change_no]);
  }
  return batch;
}
