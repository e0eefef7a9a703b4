// The interface of the engines that a move copies from and to.

import type { Act } from "../../../store/interface/act.ts";

/** flag: 0 or 1 on SQLite, a boolean on PostgreSQL. */
export type ColumnKind = "text" | "number" | "bytes" | "flag";

/** The values of a row, in the same form on every engine; flags are 0 or 1. */
export type MovedValue = null | number | string | Uint8Array;
export type MovedRow = readonly MovedValue[];

export interface MovedTable {
  readonly name: string;
  /** The columns of the key, which is unique on every engine. They are the first columns of an index on each engine. */
  readonly key: readonly string[];
  /** The columns, in the order of a row's values. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

export interface TableSummary {
  readonly rows: number;
  /** Over all rows in the order of their keys (move-store.ts), in hex. */
  readonly sha256: string;
}

/** The key is the name of the table. */
export type StoreSummary = Readonly<Record<string, TableSummary>>;

/** The last numbers of the source, from which the target continues. */
export interface MoveEnds {
  readonly storeId: string;
  readonly arrivalNo: number;
  readonly credentialsVersion: number;
  readonly receiptNo: number;
  readonly receiptHash: string;
  readonly saltKey: string;
  readonly auditEntryNo: number;
  readonly auditHash: string;
}

export interface MoveSide extends AsyncDisposable {
  /** The tables that a move copies, in the order of copying; the same on every engine. */
  readonly tables: readonly MovedTable[];
  /** Reads a bounded number of rows after a key, in the order of the key; none at the end. */
  readPage(table: MovedTable, after: MovedRow | undefined): Promise<readonly MovedRow[]>;
  readEnds(): Promise<MoveEnds>;
}

/** The source of a move, which is locked against writes until it is closed. */
export type MoveSource = MoveSide;

export interface MoveTarget extends MoveSide {
  /** Nobody else can open the target until the move ends. Throws StoreError unless it is empty and unused. */
  reserve(storeId: string): Promise<void>;
  /** The target must be reserved. */
  addRows(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  writeEnds(ends: MoveEnds): Promise<void>;
  /** After this the target may be served. */
  finish(rows: number, act: Act): Promise<void>;
}
