// What goes through the group queue: writes, and requests for deletions, so that each meets the other in the order in
// which they arrived.

import type { AppError } from "../../../domain/error.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { PackedOutcome } from "../../group/packed-outcome.ts";
import type { Act, DeletionRequest } from "../../store.ts";

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

/** Of a write. Throws what a caller has caused. */
export function outcomeOf(result: JobResult): PackedOutcome {
  if (!result.ok) throw result.error;
  if (!("outcome" in result)) throw new TypeError("a write came to no outcome");
  return result.outcome;
}

/** Of a request; undefined if there is no such record. Throws what a caller has caused. */
export function deletionIdOf(result: JobResult): string | undefined {
  if (!result.ok) throw result.error;
  if (!("deletionRequestId" in result)) throw new TypeError("a request came to no deletion");
  return result.deletionRequestId ?? undefined;
}
