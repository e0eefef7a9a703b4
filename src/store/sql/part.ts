// What a feature has in the store. Every engine, `check`, a move, deletions, and the closing and the erasure of an
// organization go through the parts that the store is opened with (store-parts.ts), and name no feature.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Act } from "../interface/act.ts";
import type { KeyRow } from "../shared/record-key.ts";
import type { Methods } from "./method.ts";
import type { Statements } from "./statement/statements.ts";

export interface Invariant {
  /** The finding if a row breaks the invariant. */
  readonly broken: string;
  /** Finds rows that break the invariant, at most $1, with a column `subject` to name each. */
  readonly sql: string;
}

export interface PartPage {
  readonly organizationId: string;
  /** What the page before this one has returned; empty for the first one. */
  readonly from: readonly string[];
  readonly rowsMax: number;
}

/** Where the next page begins; undefined if there is none. */
export type NextPage = PartPage["from"] | undefined;

/** The records that a step has erased for a deletion, and those that it has moved out of the organization. */
export interface ErasedRecords {
  readonly deletion: Deletion;
  readonly erased: readonly RecordKey[];
  readonly moved: readonly RecordKey[];
}

export interface StorePart {
  /** Unique; its methods are sent to a writer in another thread under it. */
  readonly name: string;
  readonly methods: Methods;
  /** The statements that make its tables, in the words of schema.sql. Undefined if it has none. */
  readonly schema?: URL;
  /**
   * Those whose rows are of an organization. Its erasure leaves none; a serving process may change them, and a move
   * copies them, in this order, unless they are derived from records.
   */
  readonly tables: readonly string[];
  readonly isDerived?: true;
  /** The columns by which tables that grow with the records are distributed over a Citus cluster. */
  readonly distributed?: Readonly<Record<string, string>>;
  /** Another table, which has one row that a serving process may update, and that no move copies. */
  readonly state?: string;
  /** Each finds the highest number of arrival in a table, in a column `latest`. */
  readonly arrivalNumbers?: readonly string[];
  readonly invariants?: readonly Invariant[];
  /** Throws StoreError if nobody may open the store. Only a database is asked: several processes can open it. */
  readonly refuse?: () => Statements<void>;
  /** Removes what a closed organization can't use any more. */
  readonly close?: (organizationId: string) => Statements<void>;
  /** Removes a page of rows of an organization that is erased, before its records. */
  readonly erase?: (page: PartPage) => Statements<NextPage>;
  /** Rows about single records, which are removed before the records, in the same transaction. */
  readonly ofRecords?: {
    readonly remove: (keys: readonly RecordKey[]) => Statements<void>;
    /** Finds those that are left, with another statement. */
    readonly find: (keys: readonly RecordKey[]) => Statements<readonly KeyRow[]>;
  };
  /** What has a number of arrival, besides changes (record/arrivals.ts has the parameters). */
  readonly arrivals?: {
    /** Finds notices by their numbers of arrival, in either order. */
    readonly pages: Readonly<Record<"ASC" | "DESC", string>>;
    /** Finds the organizations that have notices. */
    readonly news: string;
  };
  /**
   * Runs in the transaction of a step that has erased records. Returns how many numbers of arrival it has taken. Its
   * statements must not depend on what is confidential.
   */
  readonly onErased?: (erased: readonly ErasedRecords[], act: Act) => Statements<number>;
  /** The same where deletions of records are completed; returns the ids of those for which it has taken a number. */
  readonly onCompleted?: (
    deletions: readonly Deletion[],
    act: Act,
  ) => Statements<ReadonlySet<string>>;
}
