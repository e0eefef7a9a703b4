// What a move asks of the engine that it copies from and of the one that it copies to. Nothing here knows of an engine.

import type { MovedRow, MovedTable } from "./move/moved-tables.ts";
import type { Act } from "./store.ts";

/** What there is of a table. */
export interface TableSummary {
  readonly rows: number;
  /** Over all rows in the order of their keys (move-summary.ts), in hex. */
  readonly sha256: string;
}

/** By table. */
export type StoreSummary = Readonly<Record<string, TableSummary>>;

/** The numbers that go on where the source has stopped. */
export interface MoveEnds {
  readonly storeId: string;
  readonly arrivalNo: number;
  readonly credentialsVersion: number;
  readonly receiptNo: number;
  readonly receiptHash: string;
  readonly auditEntryNo: number;
  readonly auditHash: string;
}

/** Where a move is: what has been copied for good. */
export interface MovePlace {
  /** The table that is being copied; undefined when all are. */
  readonly table: string | undefined;
  /** The key of its last row that is there; undefined if there is none. */
  readonly after: MovedRow | undefined;
  /** Of all tables. */
  readonly rows: number;
}

export interface MoveSide {
  /** A bounded number of rows after a key, in the order of the key; none at the end. */
  readPage(table: MovedTable, after: MovedRow | undefined): Promise<readonly MovedRow[]>;
  readEnds(): Promise<MoveEnds>;
  close(): Promise<void>;
}

/** Nobody can write to it until it is closed. */
export type MoveSource = MoveSide;

export interface MoveTarget extends MoveSide {
  /**
   * From here on nobody else opens the target, until the move is finished. Throws StoreError for a target that holds
   * anything but a part of this store, and while other processes use it.
   */
  reserve(storeId: string): Promise<void>;
  /**
   * Begins, or finds where the move of this very store has come to. The target has been reserved. Throws StoreError for a
   * source that is no longer what it was.
   */
  begin(storeId: string, summary: StoreSummary): Promise<MovePlace>;
  /** All or nothing: the rows of a page, and that the move has come to `next`. */
  addPage(page: MovePage): Promise<void>;
  writeEnds(ends: MoveEnds): Promise<void>;
  /** From here on the target may be served. */
  finish(summary: StoreSummary, act: Act): Promise<void>;
}

export interface MovePage {
  readonly table: MovedTable;
  readonly rows: readonly MovedRow[];
  readonly from: MovePlace;
  readonly next: MovePlace;
}
