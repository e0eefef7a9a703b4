// What bringing a restored store up to date asks of an engine. The states and the steps between them are in
// docs/decisions: a store in any of them opens for nothing but the replay and for what operators need to bring it about.

import type { Hold } from "../domain/access.ts";
import type { ChainCut, ChainHead, DeletionEntry } from "../domain/deletion/ledger-entry.ts";
import type { Act } from "./act.ts";

/** Where a restore is. Without one, the store is whole. */
export interface RestoreState {
  /** loading: what has to be replayed is being written down. replaying: all of it is. */
  readonly state: "loading" | "replaying";
  readonly beganAt: number;
  readonly beganBy: string;
  /** The files besides this host's own ledger from which entries are taken. */
  readonly sources: readonly string[];
  /** Undefined if the store was not behind its ledger. */
  readonly cut: RestoreCut | undefined;
  /** Deletions that were opened again so far. */
  readonly reopened: number;
}

export interface RestoreCut {
  /** The audit entry that says where the chains were cut. */
  readonly entry: ChainHead;
  readonly audit: ChainCut;
  readonly receipts: ChainCut;
}

export interface ReplayBeginning {
  /**
   * Undefined: the store is not behind its ledger, and no chain was cut. Otherwise where the chains ended as far as ledgers
   * know, each undefined where they say nothing of it.
   */
  readonly known:
    { readonly audit: ChainHead | undefined; readonly receipts: ChainHead | undefined } | undefined;
  readonly sources: readonly string[];
  /** The name of the backup, without its folder; undefined where somebody else put an earlier state back. */
  readonly backup: string | undefined;
}

export interface HoldsOfReplay {
  readonly place: readonly Hold[];
  readonly release: readonly string[];
}

/** A part of the deletions that are written down, in the order in which they were completed. */
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
  /** Where to go on; undefined at the end. One that waits for another deletion of its record stays written down. */
  readonly next: ReplayPosition | undefined;
}

export interface ReplayedCount {
  readonly queued: number;
  readonly open: number;
}

/** How far a ledger is known to reach, in the store: one that ends before that has lost something. */
export interface LedgerMark {
  readonly ledgerId: string;
  readonly end: number;
  readonly digest: string;
  readonly notedAt: number;
}

export interface ReplayStore {
  restoreState(): Promise<RestoreState | undefined>;
  /** How many of these the store lacks: those with a receipt that are not completed, and others that are not known. */
  countUnreplayed(entries: readonly DeletionEntry[]): Promise<number>;
  /**
   * The store becomes `loading`. If it is behind its ledger, an audit entry says so, whose number goes on after the highest
   * that the ledger knows, and so do receipts.
   */
  beginReplay(beginning: ReplayBeginning, act: Act): Promise<RestoreState>;
  /** Writes down those that are not completed. One that is known already keeps the receipt with the highest number. */
  queueReplay(entries: readonly DeletionEntry[]): Promise<void>;
  /** Places and releases holds as the ledger has them, whether or not their records exist. */
  replaceHolds(holds: HoldsOfReplay, act: Act): Promise<void>;
  /** Everything is written down: the store becomes `replaying`. */
  startReplay(): Promise<void>;
  /** What a process that is gone had claimed can be claimed at once. Nobody serves the store meanwhile. */
  takeOver(): Promise<void>;
  /**
   * Opens deletions again under their own ids, due at once. One whose record has another open deletion is left for later,
   * and the other one becomes due.
   */
  reopenDeletions(page: ReplayPage, act: Act): Promise<ReplayedPart>;
  /** How many deletions are written down, and how many are open again and not completed. */
  countReplayed(): Promise<ReplayedCount>;
  /** The store is whole. Throws unless nothing is left to be replayed. */
  finishReplay(act: Act): Promise<void>;
  listLedgerMarks(): Promise<readonly LedgerMark[]>;
  markLedger(mark: LedgerMark): Promise<void>;
}
