// The audit trail: each entry is written in the transaction of what it tells of. The lock on the chain's end puts the
// processes that append in a row, so it is taken last in a transaction. Never holds record content.

import type { ChainHead } from "../../domain/ledger-entry.ts";
import {
  type AuditHead,
  type AuditRow,
  makeAuditRow,
  nameSubject,
  type NewAuditEntry,
  toHead,
} from "../audit-row.ts";
import type { Act } from "../store.ts";
import type { AuditNote } from "../trail.ts";
import { inOrder } from "./in-order.ts";
import type { Transaction } from "./transaction.ts";

const lockHead = `SELECT entry_no, hash FROM audit_head WHERE single FOR UPDATE`;

const moveHead = `UPDATE audit_head SET entry_no = $1, hash = $2 WHERE single`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > $1 ORDER BY entry_no LIMIT $2`;

const readHead = `SELECT entry_no, hash FROM audit_head WHERE single`;

/** `entryNo`: where the chain was cut. */
export async function appendAudit(
  transaction: Transaction,
  entry: NewAuditEntry,
  entryNo?: number,
): Promise<ChainHead> {
  const row = makeAuditRow(entry, await lockAuditHead(transaction), entryNo);
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
  return toHead(row);
}

export async function noteAct(transaction: Transaction, note: AuditNote, act: Act): Promise<void> {
  const subject = nameSubject(note.subject);
  await appendAudit(transaction, { ...note, subject, at: act.now, actor: act.actor });
}

/** To the end of the transaction, nobody else appends. */
export async function lockAuditHead(transaction: Transaction): Promise<AuditHead> {
  const last = await transaction.get<AuditHead>(lockHead);
  if (last === undefined) throw new TypeError("the audit chain has no end");
  return last;
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
