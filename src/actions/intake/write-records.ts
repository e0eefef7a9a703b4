// Adds, appends or updates records of one type that are in memory.

import type {
  IdempotencyMark,
  RecordWrite,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import { type App, currentTimeOf } from "../app.ts";
import { markRequest } from "./idempotency.ts";
import { Submission, type SubmissionOptions, type WriteReport } from "./submission.ts";

export interface WriteRequest extends Omit<SubmissionOptions, "receivedAt" | "timestampMin"> {
  readonly items: readonly unknown[];
  readonly idempotency?: IdempotencyMark | undefined;
  /** The marks of the items, if each is written with its own. */
  readonly marks?: Iterator<IdempotencyMark, undefined> | undefined;
}

/** Rejects like `Submission.store`, and with AppError idempotency_in_flight. */
export function writeRecords(app: App, request: WriteRequest): Promise<WriteReport> {
  // The fields are passed one by one: collecting the rest of them and spreading it costs more than validating a small
  // record.
  const { organizationId, type, mode, lenient, asSingle, single } = request;
  const { items, idempotency, marks } = request;
  const { store, inFlight, timestampMin } = app;
  const receivedAt = currentTimeOf(app);
  const submission = new Submission({
    organizationId,
    type,
    mode,
    lenient,
    asSingle,
    single,
    receivedAt,
    timestampMin,
  });
  for (const item of items) submission.add(item, marks?.next().value);
  const mark = marks === undefined ? idempotency : undefined;
  return inFlight.run(idempotency?.keyHash, () => submission.store(store, mark));
}

/**
 * The key must contain a digest of the drafts. Rejects like `RecordStore.writeRecords`, and with AppError
 * idempotency_in_flight.
 */
export function writeDrafts(
  { store, inFlight }: App,
  write: RecordWrite,
  { keySpace, key }: { readonly keySpace: string; readonly key: string },
): Promise<WriteOutcome> {
  const idempotency = markRequest(keySpace, {
    idempotencyKey: key,
    operation: `import ${write.mode} ${write.resourceType}`,
    writeOptions: "lenient",
    body: "",
  });
  return inFlight.run(idempotency.keyHash, () => store.writeRecords({ ...write, idempotency }));
}
