// The rows of a restore and of the deletions to replay, and their conversion. The same on every engine.

import type { ProcessedBefore } from "../../domain/deletion/deletion.ts";
import type { ChainHead, DeletionEntry } from "../../domain/deletion/ledger-entry.ts";
import type { ReceiptHead } from "../../domain/deletion/receipt.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import type { ReplayBeginning, RestoreCut, RestoreState } from "../interface/replay.ts";
import { reader } from "./reader.ts";

/** The ledger does not contain reasons, which are free text. */
export const replayReason = "replayed after a restore";

/** The receipt number of a deletion that was in progress, which sorts it after deletions with a receipt. */
export const noReceiptYet = Number.MAX_SAFE_INTEGER;

/** The error of opening a store whose restore is not finished. */
export function describeRestoring({ state, sources }: RestoreState): string {
  // Once everything is stored, no file is needed.
  const needed = state === "loading" ? sources : [];
  const ledgers = needed.map((source) => ` --ledger ${source}`).join("");
  return (
    "The store was restored from a backup, and not all deletions that were completed since have been replayed. Until then " +
    `nothing reads it. Run: sluice deletion replay${ledgers}`
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

export interface ReplayRow {
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly resource_type: ResourceType;
  readonly resource_id: string;
  readonly requested_by: string;
  readonly requested_at: number;
  readonly completed_at: number | null;
  readonly receipt_no: number | null;
  readonly receipt_hash: string | null;
}

export function toReplayRow(entry: DeletionEntry): ReplayRow {
  const { completed } = entry;
  return {
    deletion_request_id: entry.deletionRequestId,
    organization_id: entry.organizationId,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    requested_by: entry.requestedBy,
    requested_at: entry.requestedAt,
    completed_at: completed?.at ?? null,
    receipt_no: completed?.receiptNo ?? null,
    receipt_hash: completed?.receiptHash ?? null,
  };
}

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
    const known = latest.get(entry.deletionRequestId)?.completed?.receiptNo ?? 0;
    const isNew = !latest.has(entry.deletionRequestId);
    if (isNew || (entry.completed?.receiptNo ?? 0) > known) {
      latest.set(entry.deletionRequestId, entry);
    }
  }
  return [...latest.values()];
}

export function requestOf(row: ReplayRow) {
  return {
    deletionRequestId: row.deletion_request_id,
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
  };
}

export function processedBefore(row: ReplayRow): ProcessedBefore {
  return {
    because: "restore",
    completed_at: row.completed_at === null ? null : new Date(row.completed_at).toISOString(),
    receipt_no: row.receipt_no,
    receipt: row.receipt_hash,
  };
}

/**
 * The time at which a replayed deletion is due: never in the future, and in the order in which deletions were
 * completed.
 */
export function dueAgain({ completed_at: at }: ReplayRow, now: number): number {
  return Math.min(at ?? now, now);
}
