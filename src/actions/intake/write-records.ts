// Adds, appends or updates records of one type that are in memory.

import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { Submission, type SubmissionOptions, type WriteReport } from "./submission.ts";

export interface WriteRequest extends Omit<SubmissionOptions, "receivedAt"> {
  readonly items: readonly unknown[];
  readonly idempotency?: IdempotencyMark | undefined;
}

/** Rejects as `Submission.store` does, and with AppError idempotency_in_flight. */
export function writeRecords(
  { store, inFlight, now }: App,
  { items, idempotency, organizationId, type, mode, lenient, single }: WriteRequest,
): Promise<WriteReport> {
  // Field by field: collecting the rest of the fields and spreading them costs more than validating a small record.
  const receivedAt = now();
  const submission = new Submission({ organizationId, type, mode, lenient, single, receivedAt });
  for (const item of items) submission.add(item);
  return inFlight.run(idempotency?.keyHash, () => submission.store(store, idempotency));
}
