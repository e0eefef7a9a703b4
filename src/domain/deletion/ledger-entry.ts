// Entries of the ledger outside a store: deletions, legal holds, retention floors, restores, and the ends of the
// store's chains. They contain no record content and no reason of a deletion.

import type { RecordKey } from "../record/record-write.ts";
import type { Hold } from "../access.ts";
import type { ResourceType } from "../record-type.ts";
import type { FloorRule } from "../retention/floor.ts";
import type { Receipt } from "./receipt.ts";

/** The last link of a hash chain: its number and its hash. */
export interface ChainHead {
  readonly no: number;
  readonly hash: string;
}

export const beforeFirst: ChainHead = { no: 0, hash: "0".repeat(64) };

/** Times are Unix milliseconds. */
export interface DeletionEntry extends RecordKey {
  readonly kind: "deletion";
  readonly deletionRequestId: string;
  readonly requestedBy: string;
  readonly requestedAt: number;
  /** Undefined in the entry that is written before the completion. */
  readonly completed?: {
    readonly at: number;
    readonly receiptNo: number;
    readonly receiptHash: string;
  };
}

/** A request was cancelled while it was pending, so what it names must not be erased. */
export interface DeletionCancelledEntry {
  readonly kind: "deletion_cancelled";
  readonly deletionRequestId: string;
  readonly at: number;
  readonly by: string;
}

export interface HoldPlacedEntry {
  readonly kind: "hold_placed";
  readonly hold: Hold;
}

export interface HoldReleasedEntry {
  readonly kind: "hold_released";
  readonly holdId: string;
  readonly at: number;
  readonly by: string;
  /** `ended` for a hold that ended by itself; undefined for one that somebody released. */
  readonly because: string | undefined;
}

/** The retention rule of a type was set: a floor, a ceiling, or both. Without a rule, it was removed. */
export interface FloorEntry {
  readonly kind: "floor";
  /**
   * The number of the audit entry that records the change. If there are several for one type, the highest is in force.
   */
  readonly entryNo: number;
  readonly organizationId: string;
  readonly resourceType: ResourceType;
  readonly rule: FloorRule | undefined;
  readonly at: number;
  readonly by: string;
}

/** What an entry about an organization can state. */
export interface LedgerSettings {
  readonly name?: string;
  readonly strictScopes?: boolean;
  readonly deletionGraceSeconds?: number;
  readonly rateLimitPerSecond?: number | null;
  readonly retainDays?: number | null;
  readonly confidentialTypes?: readonly ResourceType[];
  readonly eraseOrphanedTransactions?: boolean;
  readonly deletionApproval?: boolean;
}

/** An organization was created with settings, or they were changed. */
export interface SettingsEntry {
  readonly kind: "settings";
  /** The number of the audit entry. Of several values of a setting, that of the highest number is in force. */
  readonly entryNo: number;
  readonly organizationId: string;
  readonly settings: LedgerSettings;
  readonly at: number;
  readonly by: string;
}

/** The heads of both chains of the store when it was written, signed with the key of receipts. */
export interface HeadsEntry {
  readonly kind: "heads";
  readonly at: number;
  readonly storeId: string;
  readonly ledgerId: string;
  readonly audit: ChainHead;
  readonly receipts: ChainHead;
  /** The digest of the previous frame, so that the signature covers the ledger too. */
  readonly ledger: string;
  readonly keyId: string;
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

/**
 * A restore cut the chains of the store: the links after `restored` up to `known` are no longer in it. A backup that
 * was made from the store without this ledger has other links with the numbers after `shared`.
 */
export interface RestoreEntry {
  readonly kind: "restore";
  readonly at: number;
  readonly by: string;
  /** The audit entry in the store that records it. */
  readonly entry: ChainHead;
  readonly audit: ChainCut;
  readonly receipts: ChainCut;
  /**
   * The last link of the audit trail that was signed in this ledger and is in the restored store; number 0 for none.
   */
  readonly shared: ChainHead;
}

export interface ChainCut {
  /** The end of the chain in the restored store. */
  readonly restored: ChainHead;
  /** The end of the chain according to the ledger. */
  readonly known: ChainHead;
}

/** The first entry of every ledger. */
export interface BeginEntry {
  readonly kind: "begin";
  readonly ledgerId: string;
  readonly storeId: string;
  readonly at: number;
}

export type LedgerEntry =
  | DeletionEntry
  | DeletionCancelledEntry
  | HoldPlacedEntry
  | HoldReleasedEntry
  | FloorEntry
  | SettingsEntry
  | HeadsEntry
  | RestoreEntry
  | BeginEntry;

/** Returns the entry of a completed deletion. `hash` is the hash of the receipt. */
export function entryOfReceipt(receipt: Receipt, hash: string): DeletionEntry {
  const { asked } = receipt;
  return {
    kind: "deletion",
    organizationId: receipt.organization_id,
    deletionRequestId: receipt.deletion_request_id,
    resourceType: asked.resource_type,
    resourceId: asked.resource_id,
    requestedBy: asked.by,
    requestedAt: Date.parse(asked.at),
    completed: {
      at: Date.parse(receipt.completed_at),
      receiptNo: receipt.receipt_no,
      receiptHash: hash,
    },
  };
}
