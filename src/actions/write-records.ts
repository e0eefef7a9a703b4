// Adds, appends or updates records of one type that are in memory.

import type { IdempotencyMark } from "../domain/record/record-write.ts";
import type { App } from "./app.ts";
import { Submission, type SubmissionOptions, type WriteReport } from "./submission.ts";

export interface WriteRequest extends Omit<SubmissionOptions, "receivedAt"> {
  readonly items: readonly unknown[];
  readonly idempotency?: IdempotencyMark | undefined;
}

/** Rejects as `Submission.store` does, and with AppError idempotency_in_flight. */
export function writeRecords(
  { store, inFlight, now }: App,
  { items, idempotency, ...options }: WriteRequest,
): Promise<WriteReport> {
  const submission = new Submission({ ...options, receivedAt: now() });
  for (const item of items) submission.add(item);
  return inFlight.run(idempotency?.keyHash, () => submission.store(store, idempotency));
}
