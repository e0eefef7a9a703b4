// The rows of a restore and of the deletions to replay, and their conversion. The same on every engine.

import type { ProcessedBefore } from "../../domain/deletion/deletion.ts";
import type { ChainHead, DeletionEntry } from "../../domain/deletion/ledger-entry.ts";
import type { ReceiptHead } from "../../domain/deletion/receipt.ts";
import type { ReplayBeginning, RestoreCut, RestoreState } from "../interface/replay.ts";
import { reader } from "./reader.ts";
import { sluice } from "../../basics/program-name.ts";

/** The ledger does not contain reasons, which are free text. */
export const replayReason = "replayed after a restore";

/** The receipt number of a deletion that was in progress, which sorts it after deletions with a receipt. */
export const noReceiptYet = Number.MAX_SAFE_INTEGER;

export function describeRestoring({ state, sources }: RestoreState): string {
  // Once everything is stored, no file is needed.
  const needed = state === "loading" ? sources : [];
  const ledgers = needed.map((source) => ` --ledger ${source}`).join("");
  return (
    "The store was restored from a backup, and not all deletions that were completed since have been replayed. Until then " +
    `nothing reads it. Run: ${sluice} deletion replay${ledgers}`
  );
}

export const toRestoreState = reader<RestoreState>({ sources: "json", cut: "json" });

/** Where the chains end in the store, and where they ended according to the ledger. */
export function makeCut(
  known: ReplayBeginning["known"] & {},
  restored: { readonly audit: ChainHead; readonly receipts: Omit<ReceiptHead, "storeId"> },
): Omit<RestoreCut, "entry"> {
  const { receiptNo: no, hash } = restored.receipts;
  return {
    audit: { restored: restored.audit, known: known.audit ?? restored.audit },
    receipts: { restored: { no, hash }, known: known.receipts ?? { no, hash } },
    shared: known.shared,
  };
}

/** A deletion to replay. Those that were in progress have no receipt. */
export interface QueuedDeletion extends Omit<DeletionEntry, "kind" | "completed"> {
  readonly completedAt: number | undefined;
  readonly receiptNo: number | undefined;
  readonly receiptHash: string | undefined;
}

export const toQueued = reader<QueuedDeletion>({});

/** Files that have been read completely are not needed again. */
export function sourcesOf(
  before: RestoreState | undefined,
  { sources }: ReplayBeginning,
): readonly string[] {
  const unread = before?.state === "loading" ? before.sources : [];
  return [...new Set([...unread, ...sources])];
}

/** Returns the distinct ids of deletions with a receipt, and those of other deletions. */
export function idsOf(entries: readonly DeletionEntry[]): {
  readonly completed: readonly string[];
  readonly inProgress: readonly string[];
} {
  const latest = latestOf(entries);
  const ids = (isCompleted: boolean) =>
    latest
      .filter(({ completed }) => (completed !== undefined) === isCompleted)
      .map(({ deletionRequestId }) => deletionRequestId);
  return { completed: ids(true), inProgress: ids(false) };
}

/** Keeps one row for each deletion: the one with the highest receipt number. */
export function latestOf(entries: readonly DeletionEntry[]): readonly DeletionEntry[] {
  const latest = new Map<string, DeletionEntry>();
  for (const entry of entries) {
    const highest = latest.get(entry.deletionRequestId)?.completed?.receiptNo ?? 0;
    const isNew = !latest.has(entry.deletionRequestId);
    if (isNew || (entry.completed?.receiptNo ?? 0) > highest) {
      latest.set(entry.deletionRequestId, entry);
    }
  }
  return [...latest.values()];
}

export function processedBefore(queued: QueuedDeletion): ProcessedBefore {
  const { completedAt: at, receiptNo = null, receiptHash = null } = queued;
  const completed_at = at === undefined ? null : new Date(at).toISOString();
  return { because: "restore", completed_at, receipt_no: receiptNo, receipt: receiptHash };
}

/** Never in the future, and in the order in which deletions were completed. */
export function dueAgain({ completedAt: at = Infinity }: QueuedDeletion, now: number): number {
  return Math.min(at, now);
}
