// The audit trail on SQLite: each entry, and the end of the chain, are written in the transaction of what the entry tells of.

import type { ChainHead } from "../../domain/ledger-entry.ts";
import {
  type AuditHead,
  type AuditRow,
  emptyChain,
  makeAuditRow,
  nameSubject,
  type NewAuditEntry,
  toHead,
} from "../audit-row.ts";
import type { Act } from "../store.ts";
import type { AuditNote } from "../trail.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

const findHead = `SELECT entry_no, hash FROM audit_head`;

const moveHead = `UPDATE audit_head SET entry_no = ?, hash = ?`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > ? ORDER BY entry_no LIMIT ?`;

/** `entryNo`: where the chain was cut. */
export function appendAudit(
  connection: Connection,
  entry: NewAuditEntry,
  entryNo?: number,
): ChainHead {
  const row = makeAuditRow(entry, readAuditHead(connection), entryNo);
  connection.run(
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
  );
  connection.run(moveHead, row.entry_no, row.hash);
  return toHead(row);
}

export function noteAct(
  { connection }: Group,
  { note, act }: { readonly note: AuditNote; readonly act: Act },
): void {
  const subject = nameSubject(note.subject);
  appendAudit(connection, { ...note, subject, at: act.now, actor: act.actor });
}

export function readAuditHead(connection: Connection): AuditHead {
  return connection.get<AuditHead>(findHead) ?? emptyChain;
}

export function readAuditRows(
  connection: Connection,
  { afterEntryNo, limit }: { readonly afterEntryNo: number; readonly limit: number },
): readonly AuditRow[] {
  return connection.all<AuditRow>(readPage, afterEntryNo, limit);
}
