// What the ledger outside a store is to those who keep it and read it. Knows of no file.

import type {
  ChainHead,
  DeletionEntry,
  HeadsEntry,
  LedgerEntry,
} from "../domain/deletion/ledger-entry.ts";

/** An append to the ledger as it was read: a frame, or a line of an older ledger. */
export interface LedgerPart {
  readonly entries: readonly LedgerEntry[];
  /** Where it ends, without its newline. */
  readonly end: number;
  /** Undefined for a line of an older ledger. */
  readonly digest: string | undefined;
}

/** What the end of a ledger says. */
export interface LedgerState {
  /** Undefined until a first frame is written. */
  readonly ledgerId: string | undefined;
  /** Up to the end of the last whole line. */
  readonly bytes: number;
  /** Left behind that by a crash; cut off before the next append. */
  readonly tornBytes: number;
  readonly terminated: boolean;
  readonly lastFrame: { readonly end: number; readonly digest: string } | undefined;
  /** The highest number of a receipt that it knows; 0 if there is none. */
  readonly lastReceiptNo: number;
  /** The last receipt since the last restore: the store has to have it. */
  readonly lastReceipt: ChainHead | undefined;
  readonly heads: HeadsEntry | undefined;
  /** The last link of the audit chain that the store has to have: of the last heads, or of a restore after them. */
  readonly auditAnchor: ChainHead | undefined;
  /** Deletions noted since the last receipt, that may have been completed or not. */
  readonly underWay: readonly DeletionEntry[];
}

/** Makes the signed heads that end an append, from where the ledger is; undefined if there is no key to sign with. */
export type SealHeads = (place: {
  readonly ledgerId: string;
  /** Of the frame before the one that they are written in. */
  readonly digest: string;
}) => HeadsEntry | undefined;

/** The file outside the store from which a restore learns what to erase again and what is held (ledger-file.ts). */
export interface DeletionLedger {
  readonly path: string;
  /** False until something is noted first. */
  exists(): boolean;
  /** Throws StoreError for damage that no crash explains. */
  state(): Promise<LedgerState>;
  /** On stable storage when it resolves. Cuts off first what a crash has torn. */
  note(entries: readonly LedgerEntry[], seal?: SealHeads): Promise<void>;
  /** From the beginning, in bounded memory. Throws StoreError for damage. */
  readParts(): AsyncIterable<LedgerPart>;
}
