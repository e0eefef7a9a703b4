// The row of an audit entry, and the hash that chains it to the previous one. The same on every engine, so that a chain
// can be verified on any of them.

import { hash as digest } from "node:crypto";
import type { AuditEntry } from "../../domain/access.ts";
import { cutCodec, headCodec } from "../../domain/deletion/ledger-codec.ts";
import type { ChainCut, ChainHead } from "../../domain/deletion/ledger-entry.ts";
import { invalid } from "../../domain/json/codec.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { type RequestText, subjectOfRecord, textOfRequest } from "../../domain/trail-text.ts";
import type { RestoreCut } from "../interface/replay.ts";
import type { SealedReceipt } from "../interface/receipt.ts";
import { reader } from "./reader.ts";

export type NewAuditEntry = Omit<AuditEntry, "entryNo" | "previousHash" | "hash">;

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

/** The previous hash of the first entry. */
const noHash = "0".repeat(64);

export function toHead({ entry_no: no, hash }: AuditHead): ChainHead {
  return { no, hash };
}

export const emptyChain: AuditHead = { entry_no: 0, hash: noHash };

/** `entryNo` is given after a restore, when numbers after the last entry have been used already. */
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

/** SHA-256, hex, over a JSON list of all other columns; the detail is the stored text. */
export function hashAuditRow(row: Omit<AuditRow, "hash">): string {
  const { previous_hash, entry_no, at, actor, action, organization_id, subject, detail } = row;
  const content = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
  return digest("sha256", JSON.stringify(content));
}

/** The action of the entry that records where a restore cut the chains. */
export const restoreAction = "store.restore";

/** True if the row is unaltered and follows the previous one. */
export function followsInChain(row: AuditRow, previous: AuditHead): boolean {
  if (row.previous_hash !== previous.hash || hashAuditRow(row) !== row.hash) return false;
  if (row.entry_no === previous.entry_no + 1) return true;
  const cut = cutOf(row)?.audit;
  return (
    cut?.restored.no === previous.entry_no &&
    cut.restored.hash === previous.hash &&
    numberAfter(cut) === row.entry_no
  );
}

/** The number of the entry that records a cut: no number is used twice. */
export function numberAfter({ restored, known }: ChainCut): number {
  return Math.max(restored.no, known.no) + 1;
}

/** Where a restore cut the chains; undefined for any other entry. */
export function cutOf(
  row: Pick<AuditRow, "action" | "detail" | "entry_no" | "hash">,
): RestoreCut | undefined {
  if (row.action !== restoreAction) return undefined;
  const detail = JSON.parse(row.detail) as Readonly<Record<string, unknown>>;
  const audit = cutCodec.read(detail["audit"]);
  const receipts = cutCodec.read(detail["receipts"]);
  const shared = headCodec.read(detail["shared"]);
  if (audit === invalid || receipts === invalid || shared === invalid) return undefined;
  return { entry: toHead(row), audit, receipts, shared };
}

export const toAuditEntry = reader<AuditEntry>({ detail: "json" });

/** These fields are in the detail of the entry of a completed deletion. */
export function describeReceipt(
  sealed: SealedReceipt | undefined,
): { readonly receiptNo: number; readonly receiptHash: string } | undefined {
  if (sealed === undefined) return undefined;
  return { receiptNo: sealed.receipt.receipt_no, receiptHash: sealed.hash };
}

/** Binds the request to the trail without repeating its id and reason. */
export function digestOfRequest(request: RequestText): string {
  return digest("sha256", textOfRequest(request));
}

export function nameSubject(subject: string | RecordKey): string {
  if (typeof subject === "string") return subject;
  return subjectOfRecord(subject, (text) => digest("sha256", text));
}
