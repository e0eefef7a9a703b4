// The jobs of the group queue: writes, and requests for deletions, so that both take effect in the order of their
// arrival.

import type { AppError } from "../../../domain/error.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { PackedOutcome } from "../../group/packed-outcome.ts";
import type { Act, DeletionRequest } from "../../interface/store.ts";

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

/** An error that the caller caused is a result; any other error fails the group. */
export type JobResult =
  | { readonly ok: true; readonly outcome: PackedOutcome }
  | { readonly ok: true; readonly deletionRequestId: string | undefined }
  | { readonly ok: false; readonly error: AppError };

/** The outcome of a write. Throws an error that the caller caused. */
export function outcomeOf(result: JobResult): PackedOutcome {
  if (!result.ok) throw result.error;
  if (!("outcome" in result)) throw new TypeError("a write has no outcome");
  return result.outcome;
}

/** The deletion of a request; undefined if there is no such record. Throws an error that the caller caused. */
export function deletionIdOf(result: JobResult): string | undefined {
  if (!result.ok) throw result.error;
  if (!("deletionRequestId" in result)) throw new TypeError("a request has no deletion");
  return result.deletionRequestId;
}
