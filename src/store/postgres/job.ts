// What goes through the group queue: writes, and requests for deletions, so that each meets the other in the order in
// which they arrived.

import type { AppError } from "../../domain/error.ts";
import type { RecordWrite } from "../../domain/record-write.ts";
import type { PackedOutcome } from "../packed-outcome.ts";
import type { Act, DeletionRequest } from "../store.ts";

export interface WriteJob {
  readonly kind: "write";
  readonly write: RecordWrite;
}

export interface RequestJob {
  readonly kind: "request";
  readonly request: DeletionRequest;
  readonly act: Act;
}

export type Job = WriteJob | RequestJob;

/** What a caller can cause is a result; any other error fails the group. */
export type JobResult =
  | { readonly ok: true; readonly outcome: PackedOutcome }
  | { readonly ok: true; readonly deletionRequestId: string | null }
  | { readonly ok: false; readonly error: AppError };
