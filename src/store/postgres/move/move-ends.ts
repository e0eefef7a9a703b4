// Sets the numbers and the chain heads from which the target of a move continues. Adds no row.

import type { MoveEnds } from "../../interface/move.ts";
import type { Transaction } from "../transaction.ts";

/** The third argument is false for a sequence that has not been used: its first number is then the one that is set. */
const setArrival = `SELECT setval('arrival', greatest($1::bigint, 1), $1::bigint > 0)`;

const setCredentials = `UPDATE counter SET value = $1 WHERE name = 'credentials_version'`;

const setReceiptHead = `
  UPDATE receipt_head SET store_id = $1, receipt_no = $2, hash = $3, salt_key = $4`;

const setAuditHead = `UPDATE audit_head SET entry_no = $1, hash = $2`;

export async function writeEnds(transaction: Transaction, ends: MoveEnds): Promise<void> {
  await transaction.run(setArrival, ends.arrivalNo);
  await transaction.run(setCredentials, ends.credentialsVersion);
  const { storeId, receiptNo, receiptHash, saltKey } = ends;
  await transaction.run(setReceiptHead, storeId, receiptNo, receiptHash, saltKey);
  await transaction.run(setAuditHead, ends.auditEntryNo, ends.auditHash);
}
