// Writes drafts that an import has read, in groups that it repeats after a failure.

import type { RecordWrite, WriteOutcome } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { markRequest } from "./idempotency.ts";

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
