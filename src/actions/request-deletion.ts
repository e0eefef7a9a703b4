// Queues the permanent deletion of a record and all that belongs to it (interface document, "Submit a deletion
// request"). Never removes anything itself: the worker does, later.

import type { RecordType } from "../domain/record-type.ts";
import type { IdempotencyMark } from "../domain/record-write.ts";
import type { App } from "./app.ts";
import type { Identity } from "./caller-cache.ts";
import { noSuchRecord } from "./check-record.ts";
import { makeId } from "./credential.ts";

export interface DeletionWanted {
  readonly type: RecordType;
  readonly id: string;
  readonly reason: string;
  readonly idempotency?: IdempotencyMark | undefined;
}

/** The deletion_request_id, the same one while a deletion is open. Throws AppError no_such_record. */
export async function requestDeletion(
  app: App,
  caller: Identity,
  wanted: DeletionWanted,
): Promise<string> {
  const now = app.now();
  const found = await app.inFlight.run(wanted.idempotency?.keyHash, () =>
    app.store.requestDeletion(
      {
        organizationId: caller.organizationId,
        resourceType: wanted.type.resourceType,
        resourceId: wanted.id,
        reason: wanted.reason,
        deletionRequestId: makeId("del"),
        dueAt: now + caller.deletionGraceSeconds * 1_000,
        idempotency: wanted.idempotency,
      },
      { actor: caller.keyId, now },
    ),
  );
  if (found === undefined) throw noSuchRecord(wanted.type);
  return found;
}
