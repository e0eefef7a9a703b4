// The messages between the main thread and the bulk thread. Bodies and chunks are transferred, not copied.

import type { WriteMode } from "../../domain/record/record-write.ts";
import type { Work } from "../load/work-tokens.ts";
import type { FieldError, ErrorForm } from "../../domain/error.ts";
import type { KeyedRequest } from "../../actions/intake/idempotency.ts";
import type { BodyForm } from "../body/list-form.ts";

export interface WriteContext {
  readonly resourceType: string;
  readonly mode: WriteMode;
  readonly organizationId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly timestampMin: string;
}

export interface ListOrder extends WriteContext {
  /** What the operation accepts. */
  readonly form: BodyForm;
  readonly lenient: boolean;
  /** See SubmissionOptions. */
  readonly asSingle: boolean;
  readonly key: KeyedRequest | undefined;
}

export type ToBulk =
  | {
      readonly kind: "list";
      readonly id: number;
      readonly order: ListOrder;
      readonly body: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "stream"; readonly id: number; readonly order: WriteContext }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Follows the last chunk. `whole`: whether the client sent the stream to its end. */
  | { readonly kind: "end"; readonly id: number; readonly whole: boolean }
  /** The client of a list has disconnected: stop at the next slice. */
  | { readonly kind: "abort"; readonly id: number }
  /** Nobody waits for the tasks in progress any more: drop the writes that are queued. */
  | { readonly kind: "refuse writes" }
  | { readonly kind: "close" };

export interface ListReport {
  /** The number of stored changes; `updated` of them are changes of existing records. */
  readonly written: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly repeated: boolean;
  /** The number of refused items of a lenient list. Its `results` are JSON. */
  readonly refused: number;
  readonly results: string | undefined;
}

export interface StreamTally {
  readonly received: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface LineRefusal {
  readonly line: number;
  readonly id?: string | undefined;
  readonly code: number;
  readonly message?: string | undefined;
  readonly errors?: readonly FieldError[] | undefined;
}

export interface WrittenGroup {
  readonly written: number;
  readonly lines: string;
  readonly lineCount: number;
  readonly work: Work;
}

export type FromBulk =
  | {
      readonly kind: "report";
      readonly id: number;
      readonly report: ListReport;
      readonly work: Work;
    }
  | { readonly kind: "failed"; readonly id: number; readonly error: ErrorForm; readonly work: Work }
  /** Another chunk may follow, unless the stream has failed: then no further one is read. */
  | { readonly kind: "chunk read"; readonly id: number; readonly isStopped: boolean }
  | ({ readonly kind: "group"; readonly id: number } & WrittenGroup)
  | {
      readonly kind: "done";
      readonly id: number;
      readonly tally: StreamTally;
      readonly error: ErrorForm | undefined;
    };
