// The audit trail: each entry is written in the transaction of what it tells of. The lock on the chain's end puts the
// processes that append in a row, so it is taken last in a transaction. Never holds record content.

import { type AuditHead, type AuditRow, makeAuditRow, type NewAuditEntry } from "../audit-row.ts";
import type { Transaction } from "./transaction.ts";
import { inOrder } from "./in-order.ts";

const lockHead = `SELECT entry_no, hash FROM audit_head WHERE single FOR UPDATE`;

const moveHead = `UPDATE audit_head SET entry_no = $1, hash = $2 WHERE single`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > $1 ORDER BY entry_no LIMIT $2`;

const readHead = `SELECT entry_no, hash FROM audit_head WHERE single`;

export async function appendAudit(transaction: Transaction, entry: NewAuditEntry): Promise<void> {
  const last = await transaction.get<AuditHead>(lockHead);
  if (last === undefined) throw new TypeError("the audit chain has no end");
  const row = makeAuditRow(entry, last);
  await inOrder([
    transaction.run(
      insertEntry,
      row.entry_no,
      row.at,
      row.actor,
      row.action,
      row.organization_id,
      row.subject,
      row.detail,
      row.previous_hash,
      row.hash,
    ),
    transaction.run(moveHead, row.entry_no, row.hash),
  ] as const);
}

export function readAuditRows(
  transaction: Transaction,
  { afterEntryNo, limit }: { readonly afterEntryNo: number; readonly limit: number },
): Promise<readonly AuditRow[]> {
  return transaction.all<AuditRow>(readPage, afterEntryNo, limit);
}

export function readAuditHead(transaction: Transaction): Promise<AuditHead | undefined> {
  return transaction.get<AuditHead>(readHead);
}
