// Entries of the audit trail as they are exported.

import type { AuditEntry } from "../../domain/access.ts";

export function viewAuditEntry(entry: AuditEntry) {
  return {
    entry_no: entry.entryNo,
    at: entry.at,
    time: new Date(entry.at).toISOString(),
    actor: entry.actor,
    action: entry.action,
    organization_id: entry.organizationId ?? null,
    subject: entry.subject,
    detail: entry.detail,
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
}
