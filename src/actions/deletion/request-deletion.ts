// Requests the permanent deletion of a record and everything that belongs to it (interface document, "Submit a deletion
// request"). Erases nothing: the worker does that later.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import { type App, currentTimeOf } from "../app.ts";
import type { Identity } from "../access/caller-cache.ts";
import { noSuchRecord } from "../record/check-record.ts";
import { makeId } from "../credential.ts";

export interface DeletionTarget {
  readonly type: RecordType;
  readonly id: string;
  readonly reason: string;
  readonly basis?: DeletionBasis | undefined;
  readonly idempotency?: IdempotencyMark | undefined;
}

/** While a deletion of the record is open, returns the same id. Throws AppError no_such_record. */
export async function requestDeletion(
  app: App,
  caller: Identity,
  wanted: DeletionTarget,
): Promise<string> {
  const now = currentTimeOf(app);
  const id = await app.inFlight.run(wanted.idempotency?.keyHash, () =>
    app.store.requestDeletion(
      {
        organizationId: caller.organizationId,
        resourceType: wanted.type.resourceType,
        resourceId: wanted.id,
        reason: wanted.reason,
        basis: wanted.basis,
        deletionRequestId: makeId("del"),
        dueAt: now + caller.deletionGraceSeconds * 1_000,
        idempotency: wanted.idempotency,
      },
      { actor: caller.actor, now },
    ),
  );
  if (id === undefined) throw noSuchRecord(wanted.type);
  return id;
}
