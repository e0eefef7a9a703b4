// What an engine offers for the replay after a restore. docs/decisions describes the states and the steps between them;
// a store in one of these states opens only for the replay and for what operators need to finish it.

import type { Hold } from "../../domain/access.ts";
import type {
  ChainHead,
  LedgerSettings,
  RestoreEntry,
} from "../../domain/deletion/ledger-entry.ts";

/** The state of a restore. A store without one is complete. */
export interface RestoreState {
  /** loading: the deletions to replay are being stored. replaying: all of them have been stored. */
  readonly state: "loading" | "replaying";
  readonly beganAt: number;
  readonly beganBy: string;
  /** The files from which entries are read, besides this host's own ledger. */
  readonly sources: readonly string[];
  /** Undefined if the store was not older than its ledger. */
  readonly cut: RestoreCut | undefined;
  /** Deletions that have been reopened. */
  readonly reopened: number;
}

export type RestoreCut = Pick<RestoreEntry, "entry" | "audit" | "receipts" | "shared">;

export interface ReplayBeginning {
  /** The highest link of each chain that is in a ledger. Undefined if the store is not older than its ledger. */
  readonly known:
    | {
        readonly audit: ChainHead | undefined;
        readonly receipts: ChainHead | undefined;
        readonly shared: ChainHead;
      }
    | undefined;
  readonly sources: readonly string[];
  /** The name of the backup, without its folder; undefined if an earlier state was put back in another way. */
  readonly backup: string | undefined;
}

export interface HoldsOfReplay {
  readonly place: readonly Hold[];
  readonly release: readonly string[];
}

/** Settings of an organization as a ledger states them. */
export interface SettingsChange {
  readonly organizationId: string;
  readonly settings: LedgerSettings;
}

/** A part of the deletions to replay, in the order of their completion. */
export interface ReplayPage {
  readonly after: ReplayPosition | undefined;
  readonly limit: number;
}

export interface ReplayPosition {
  readonly receiptNo: number;
  readonly deletionRequestId: string;
}

export interface ReplayedPart {
  /** Deletions that are open now. */
  readonly opened: number;
  /** Undefined at the end. A deletion that waits for another one of its record remains queued. */
  readonly next: ReplayPosition | undefined;
}

export interface ReplayedCount {
  readonly queued: number;
  readonly open: number;
  /** How many of the open deletions wait for a legal hold. */
  readonly held: number;
}

/** The last ledger position that the store knows. A ledger that ends before it has lost entries. */
export interface LedgerMark {
  readonly ledgerId: string;
  readonly end: number;
  readonly digest: string;
  readonly notedAt: number;
}
