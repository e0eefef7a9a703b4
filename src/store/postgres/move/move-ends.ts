// The numbers and the ends of chains that go on after a move where the embedded store has stopped. Adds no row.

import type { MoveEnds } from "../../move.ts";
import type { Transaction } from "../transaction.ts";

/** A sequence that has given out nothing yet has to be told so, for its first number is the one that it is set to. */
const setArrival = `SELECT setval('arrival', greatest($1::bigint, 1), $1::bigint > 0)`;

const setCredentials = `UPDATE counter SET value = $1 WHERE name = 'credentials_version'`;

const setReceiptHead = `UPDATE receipt_head SET store_id = $1, receipt_no = $2, hash = $3`;

const setAuditHead = `UPDATE audit_head SET entry_no = $1, hash = $2`;

const findArrival = `SELECT last_value::bigint AS last, is_called FROM arrival`;

const findEnds = `
  SELECT store_id, receipt_no, receipt_head.hash AS receipt_hash, entry_no, audit_head.hash AS audit_hash,
    (SELECT value FROM counter WHERE name = 'credentials_version') AS credentials
  FROM receipt_head CROSS JOIN audit_head`;

interface EndsRow {
  readonly store_id: string;
  readonly receipt_no: number;
  readonly receipt_hash: string;
  readonly entry_no: number;
  readonly audit_hash: string;
  readonly credentials: number;
}

export async function writeEnds(transaction: Transaction, ends: MoveEnds): Promise<void> {
  await transaction.run(setArrival, ends.arrivalNo);
  await transaction.run(setCredentials, ends.credentialsVersion);
  await transaction.run(setReceiptHead, ends.storeId, ends.receiptNo, ends.receiptHash);
  await transaction.run(setAuditHead, ends.auditEntryNo, ends.auditHash);
}

export async function readEnds(transaction: Transaction): Promise<MoveEnds> {
  const arrival = await transaction.get<{ last: number; is_called: boolean }>(findArrival);
  const row = await transaction.get<EndsRow>(findEnds);
  if (arrival === undefined || row === undefined) throw new TypeError("the store has no ends");
  return {
    storeId: row.store_id,
    arrivalNo: arrival.is_called ? arrival.last : arrival.last - 1,
    credentialsVersion: row.credentials,
    receiptNo: row.receipt_no,
    receiptHash: row.receipt_hash,
    auditEntryNo: row.entry_no,
    auditHash: row.audit_hash,
  };
}
