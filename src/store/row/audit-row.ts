// The row of an audit entry, and the hash that chains it to the previous one. The same on every engine, so that a chain
// can be verified on any of them.

import { hash as digest } from "node:crypto";
import type { AuditEntry } from "../../domain/access.ts";
import {
  type TrailAction,
  type RequestText,
  subjectOfRecord,
  textOfRequest,
} from "../../domain/trail-action.ts";
import {
  type AuditHead,
  type AuditRow,
  mayFollow,
  textOfAuditRow,
} from "../../domain/audit-chain.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { SealedReceipt } from "../interface/deletion.ts";
import { reader } from "./reader.ts";

export interface NewAuditEntry extends Omit<
  AuditEntry,
  "action" | "entryNo" | "previousHash" | "hash"
> {
  readonly action: TrailAction;
}

/** `entryNo` is given after a restore, when numbers after the last entry have already been used. */
export function makeAuditRow(entry: NewAuditEntry, last: AuditHead, entryNo?: number): AuditRow {
  const row = {
    entry_no: entryNo ?? last.entry_no + 1,
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

/** SHA-256, hex. */
export function hashAuditRow(row: Omit<AuditRow, "hash">): string {
  return digest("sha256", textOfAuditRow(row));
}

/** True if the row is unaltered and follows the previous one. */
export function followsInChain(row: AuditRow, previous: AuditHead): boolean {
  return hashAuditRow(row) === row.hash && mayFollow(row, previous);
}

export const toAuditEntry = reader<AuditEntry>({ detail: "json" });

/** These fields are in the detail of the entry of a completed deletion. */
export function describeReceipt(
  sealed: SealedReceipt | undefined,
): { readonly receiptNo: number; readonly receiptHash: string } | undefined {
  if (sealed === undefined) return undefined;
  return { receiptNo: sealed.receipt.receipt_no, receiptHash: sealed.hash };
}

/** Ties the request to the trail without repeating its id and reason. */
export function digestOfRequest(request: RequestText): string {
  return digest("sha256", textOfRequest(request));
}

export function nameSubject(subject: string | RecordKey): string {
  if (typeof subject === "string") return subject;
  return subjectOfRecord(subject, (text) => digest("sha256", text));
}
