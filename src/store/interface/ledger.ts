// The interface of the ledger outside a store.

import type {
  ChainHead,
  DeletionEntry,
  HeadsEntry,
  LedgerEntry,
} from "../../domain/deletion/ledger-entry.ts";

/** A frame, which is what one append writes, or one line of a file of receipts. */
export interface LedgerPart {
  readonly entries: readonly LedgerEntry[];
  /** The offset of its end, without the newline. */
  readonly end: number;
  /** Undefined for a receipt. */
  readonly digest: string | undefined;
}

/** What the end of a ledger says. */
export interface LedgerState {
  /** Undefined before the first frame. */
  readonly ledgerId: string | undefined;
  /** The bytes up to the end of the last complete line. */
  readonly bytes: number;
  /** The bytes after that, which a crash has left. The next append removes them. */
  readonly tornBytes: number;
  readonly terminated: boolean;
  readonly lastFrame: { readonly end: number; readonly digest: string } | undefined;
  /** The highest receipt number in it; 0 if there is none. */
  readonly lastReceiptNo: number;
  /** The last receipt since the last restore: the store must have it. */
  readonly lastReceipt: ChainHead | undefined;
  /** The last heads since the last restore. Everything that the store had when they were written is in the ledger. */
  readonly heads: HeadsEntry | undefined;
  /** What the store must have of the audit chain: the link in the last heads, or in a restore after them. */
  readonly auditAnchor: ChainHead | undefined;
  /** Deletions that were recorded after the last receipt, and may or may not have been completed. */
  readonly inProgress: readonly DeletionEntry[];
}

/** What the store must have. */
export type MustHave = Pick<LedgerState, "auditAnchor" | "lastReceipt" | "inProgress">;

/** Makes the signed heads that end an append; undefined if there is no key to sign with. */
export type SealHeads = (place: {
  readonly ledgerId: string;
  /** The digest of the frame before the heads. */
  readonly digest: string;
}) => HeadsEntry | undefined;

/** The file outside the store that tells a restore what to erase again and which holds there are (ledger-file.ts). */
export interface DeletionLedger {
  readonly path: string;
  /** False before the first entry. */
  exists(): boolean;
  /** Throws FileError if this user may not append to it. */
  requireUsable(): void;
  /** Throws StoreError for damage that a crash does not explain. */
  state(): Promise<LedgerState>;
  /** On stable storage when the promise resolves. First removes an incomplete end that a crash has left. */
  note(entries: readonly LedgerEntry[], seal?: SealHeads): Promise<void>;
  /** Returns the state when all of the ledger is on stable storage, including what other processes have appended. */
  sync(): Promise<LedgerState>;
  /** Reads the ledger from its beginning, in bounded memory. Throws StoreError for damage. */
  readParts(): AsyncIterable<LedgerPart>;
}
