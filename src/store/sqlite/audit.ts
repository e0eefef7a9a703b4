// The audit trail on SQLite: each entry is written in the transaction of what it tells of.

import {
  type AuditHead,
  type AuditRow,
  emptyChain,
  makeAuditRow,
  type NewAuditEntry,
} from "../audit-row.ts";
import type { Connection } from "./connection.ts";

const findLast = `SELECT entry_no, hash FROM audit_entry ORDER BY entry_no DESC LIMIT 1`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > ? ORDER BY entry_no LIMIT ?`;

export function appendAudit(connection: Connection, entry: NewAuditEntry): void {
  const row = makeAuditRow(entry, connection.get<AuditHead>(findLast) ?? emptyChain);
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
}

export function readAuditRows(
  connection: Connection,
  { afterEntryNo, limit }: { readonly afterEntryNo: number; readonly limit: number },
): readonly AuditRow[] {
  return connection.all<AuditRow>(readPage, afterEntryNo, limit);
}
