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

export type ListOutcome<Failure = Error> =
  | { readonly report: ListReport; readonly work: Work }
  | { readonly error: Failure; readonly work: Work };

export interface StreamOutcome<Failure = Error> {
  readonly tally: StreamTally;
  readonly error: Failure | undefined;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** What the bulk thread does for the main thread; `id` is that of a list or stream. */
export type BulkTasks = {
  readonly writeList: (
    id: number,
    order: ListOrder,
    body: Bytes,
  ) => Promise<ListOutcome<ErrorForm>>;
  /** The client of a list has disconnected: stop at the next slice. */
  readonly abort: (id: number) => void;
  /** Resolves when everything is stored. */
  readonly writeStream: (id: number, order: WriteContext) => Promise<StreamOutcome<ErrorForm>>;
  /** Resolves when the chunk was read: to false if the stream has failed, and no further one is read. */
  readonly writeChunk: (id: number, chunk: Bytes) => Promise<boolean>;
  /** Follows the last chunk. `whole`: whether the client sent the stream to its end. */
  readonly endStream: (id: number, whole: boolean) => void;
  /** Nobody waits for the tasks in progress any more: drop the writes that are queued. */
  readonly refuseWrites: () => void;
};

/** What it tells the main thread about a stream. */
export type BulkNews = {
  readonly group: (id: number, group: WrittenGroup) => void;
};
