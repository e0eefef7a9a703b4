// What the main thread and the bulk thread say to one another. Bodies and chunks are transferred, not copied.

import type { WriteMode } from "../../domain/record/record-write.ts";
import type { Work } from "../load/work-tokens.ts";
import type { FieldError } from "../../domain/error.ts";
import type { ErrorForm } from "../../domain/error-form.ts";

/** What a request says of all its records. */
export interface WriteContext {
  /** The name of the operation, by which the thread finds its record type. */
  readonly operation: string;
  readonly mode: WriteMode;
  readonly organizationId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

export interface ListOrder extends WriteContext {
  readonly lenient: boolean;
  readonly idempotency: IdempotencyOrder | undefined;
}

/** All of an idempotency mark but the hash of the body. */
export interface IdempotencyOrder {
  readonly keyHash: Uint8Array;
  /** What the fingerprint is of, beside the body. */
  readonly context: string;
}

export type ToBulk =
  | {
      readonly kind: "list";
      readonly id: number;
      readonly order: ListOrder;
      readonly body: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "stream"; readonly id: number; readonly order: WriteContext }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array }
  /** After the last chunk; `whole` if the stream has come to its end. */
  | { readonly kind: "end"; readonly id: number; readonly whole: boolean }
  /** The client of a list is gone: stop at the next slice. */
  | { readonly kind: "abort"; readonly id: number }
  /** Nobody waits for what is under way any more: writes that wait are dropped. */
  | { readonly kind: "refuse writes" }
  | { readonly kind: "close" };

export interface ListReport {
  readonly written: number;
  readonly repeated: boolean;
  /** Of a lenient list: how many items were refused, and the results as JSON. */
  readonly refused: number;
  readonly results: string | undefined;
}

export interface StreamTally {
  readonly received: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

/** A line of a stream's reply. */
export interface LineRefusal {
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: number;
  readonly message?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

export type FromBulk =
  | { readonly kind: "ready" }
  | {
      readonly kind: "report";
      readonly id: number;
      readonly report: ListReport;
      readonly work: Work;
    }
  | { readonly kind: "failed"; readonly id: number; readonly error: ErrorForm; readonly work: Work }
  /** A chunk is read, and may be followed by another. */
  | { readonly kind: "taken"; readonly id: number }
  /** A group is committed. `lines` are those of the reply, each with its newline. */
  | {
      readonly kind: "group";
      readonly id: number;
      readonly written: number;
      readonly lines: string;
      readonly lineCount: number;
      readonly work: Work;
    }
  /** A stream has failed: what is sent further is not read. */
  | { readonly kind: "stopped"; readonly id: number }
  | {
      readonly kind: "done";
      readonly id: number;
      readonly tally: StreamTally;
      readonly error: ErrorForm | undefined;
    };
