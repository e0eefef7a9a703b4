// The state of a ledger's end, updated entry by entry. Reads no file.

import type { DeletionEntry, LedgerEntry } from "../../domain/deletion/ledger-entry.ts";
import type { LedgerPart, LedgerState } from "../interface/ledger.ts";

export const emptyState: LedgerState = {
  ledgerId: undefined,
  bytes: 0,
  tornBytes: 0,
  terminated: true,
  lastFrame: undefined,
  lastReceiptNo: 0,
  lastReceipt: undefined,
  heads: undefined,
  auditAnchor: undefined,
  inProgress: [],
};

/** How many deletions in progress are remembered: several times as many as are processed at once. */
const inProgressMax = 1_000;

export function withPart(state: LedgerState, part: LedgerPart): LedgerState {
  const { end, digest } = part;
  const after = part.entries.reduce(withEntry, state);
  return digest === undefined ? after : { ...after, lastFrame: { end, digest } };
}

function withEntry(state: LedgerState, entry: LedgerEntry): LedgerState {
  switch (entry.kind) {
    case "deletion":
      return withDeletion(state, entry);
    case "heads": {
      const { ledgerId, audit, receipts } = entry;
      const lastReceiptNo = Math.max(state.lastReceiptNo, receipts.no);
      return { ...state, ledgerId, heads: entry, auditAnchor: audit, lastReceiptNo };
    }
    case "restore":
      return { ...state, heads: undefined, auditAnchor: entry.entry, lastReceipt: undefined };
    case "begin":
      return { ...state, ledgerId: entry.ledgerId };
    case "deletion_cancelled":
    case "hold_placed":
    case "hold_released":
    case "floor":
    case "settings":
      break;
  }
  return state;
}

function withDeletion(state: LedgerState, entry: DeletionEntry): LedgerState {
  const { completed } = entry;
  if (completed === undefined) {
    return { ...state, inProgress: [...state.inProgress, entry].slice(-inProgressMax) };
  }
  return {
    ...state,
    lastReceiptNo: Math.max(state.lastReceiptNo, completed.receiptNo),
    lastReceipt: { no: completed.receiptNo, hash: completed.receiptHash },
    inProgress: [],
  };
}
