// An audit entry as an engine keeps it, and the hash that chains it to the one before. The same on every engine, so that
// one chain can be checked anywhere; reads and writes nothing.

import { hash as digest } from "node:crypto";
import type { AuditEntry } from "../domain/access.ts";
import type { RecordKey } from "../domain/record-write.ts";
import type { SealedReceipt } from "./store.ts";

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

/** The end of the chain, to which the next entry is tied. */
export type AuditHead = Pick<AuditRow, "entry_no" | "hash">;

/** What the first entry has for the hash of the one before. */
export const noHash = "0".repeat(64);

export const emptyChain: AuditHead = { entry_no: 0, hash: noHash };

export function makeAuditRow(entry: NewAuditEntry, last: AuditHead): AuditRow {
  const row = {
    entry_no: last.entry_no + 1,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    organization_id: entry.organizationId ?? null,
    subject: entry.subject,
    detail: JSON.stringify(entry.detail),
    previous_hash: last.hash,
  };
  return { ...row, hash: hashAuditRow(row) };
}

/** SHA-256, hex, over a JSON list of all that the entry holds, the detail as the text that is kept. */
export function hashAuditRow(row: Omit<AuditRow, "hash">): string {
  const { previous_hash, entry_no, at, actor, action, organization_id, subject, detail } = row;
  const content = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
  return digest("sha256", JSON.stringify(content));
}

/** True if the row is the one that comes after, unaltered. */
export function followsInChain(row: AuditRow, previous: AuditHead): boolean {
  return (
    row.entry_no === previous.entry_no + 1 &&
    row.previous_hash === previous.hash &&
    hashAuditRow(row) === row.hash
  );
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
    previousHash: row.previous_hash,
    hash: row.hash,
  };
}

/** What the entry of a completed deletion says of its receipt. */
export function describeReceipt(
  sealed: SealedReceipt | undefined,
): { readonly receiptNo: number; readonly receiptHash: string } | undefined {
  if (sealed === undefined) return undefined;
  return { receiptNo: sealed.receipt.receipt_no, receiptHash: sealed.hash };
}

/** The trail outlives the record, so it has the digest of the id: enough to recognise it, not to read it. */
export function nameForTrail({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${resourceType} sha256:${digest("sha256", `${organizationId}/${resourceType}/${resourceId}`)}`;
}
