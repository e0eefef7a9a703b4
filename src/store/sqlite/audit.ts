// The audit trail: each entry is written in the transaction of what it tells of, and holds the hash of the one before.
// Never holds record content.

import { hash as digest } from "node:crypto";
import type { AuditEntry } from "../../domain/access.ts";
import type { Connection } from "./connection.ts";

export interface NewAuditEntry {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly organizationId: string | undefined;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRow {
  readonly entry_no: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly organization_id: string | null;
  readonly subject: string;
  readonly detail: string;
  readonly previous_hash: string;
  readonly hash: string;
}

/** What the first entry has for the hash of the one before. */
export const noHash = "0".repeat(64);

const findLast = `SELECT entry_no, hash FROM audit_entry ORDER BY entry_no DESC LIMIT 1`;

const insertEntry = `
  INSERT INTO audit_entry
    (entry_no, at, actor, action, organization_id, subject, detail, previous_hash, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > ? ORDER BY entry_no LIMIT ?`;

export function appendAudit(connection: Connection, entry: NewAuditEntry): void {
  const last = connection.get<Pick<AuditRow, "entry_no" | "hash">>(findLast);
  const row = {
    entry_no: (last?.entry_no ?? 0) + 1,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    organization_id: entry.organizationId ?? null,
    subject: entry.subject,
    detail: JSON.stringify(entry.detail),
    previous_hash: last?.hash ?? noHash,
  };
  connection.run(insertEntry, ...Object.values(row), hashAuditRow(row));
}

/** SHA-256, hex, over a JSON list of all that the entry holds, the detail as the text that is kept. */
export function hashAuditRow(row: Omit<AuditRow, "hash">): string {
  const { previous_hash, entry_no, at, actor, action, organization_id, subject, detail } = row;
  const content = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
  return digest("sha256", JSON.stringify(content));
}

export function readAuditRows(
  connection: Connection,
  { afterEntryNo, limit }: { readonly afterEntryNo: number; readonly limit: number },
): readonly AuditRow[] {
  return connection.all<AuditRow>(readPage, afterEntryNo, limit);
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  return {
    entryNo: row.entry_no,
    at: row.at,
    actor: row.actor,
    action: row.action,
    organizationId: row.organization_id ?? undefined,
    subject: row.subject,
    detail: JSON.parse(row.detail) as Readonly<Record<string, unknown>>,
    hash: row.hash,
  };
}
