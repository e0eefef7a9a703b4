// Requests the permanent deletion of a record and everything that belongs to it (interface document, "Submit a deletion
// request"). Erases nothing: the worker does that later.

import { type DeletionBasis, deletionBasisNames } from "../../domain/deletion/basis.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { IdempotencyMark, RecordKey } from "../../domain/record/record-write.ts";
import { type App, currentTimeOf } from "../app.ts";
import type { Identity } from "../access/caller-cache.ts";
import { noSuchRecord } from "../record/check-record.ts";
import { findOpenOrganization } from "../access/close-organization.ts";
import { makeId } from "../credential.ts";
import { findDeletion, findType, nameTarget } from "../record/find-named-record.ts";
import { OperatorError, requireReason } from "../operator/operator-error.ts";
import { requireKnowledge, requireRight } from "../operator/viewer.ts";

export interface DeletionTarget {
  readonly type: RecordType;
  readonly id: string;
  readonly reason: string;
  readonly basis?: DeletionBasis | undefined;
  readonly idempotency?: IdempotencyMark | undefined;
}

export interface OperatorsDeletion extends RecordKey {
  readonly reason: string;
  /** One of `deletionBasisNames`. */
  readonly basis?: string | undefined;
}

/**
 * The record may be of any type. Returns the open deletion. Throws OperatorError not_permitted, invalid, no_such_type,
 * no_such_organization, organization_closed and no_such_record.
 */
export async function requestDeletionOf(app: App, wanted: OperatorsDeletion): Promise<Deletion> {
  requireRight(app, "deletion.request");
  requireReason(wanted.reason);
  const basis = requireBasis(wanted.basis);
  const { resourceType } = findType(wanted.resourceType);
  await requireKnowledge(app, wanted);
  const { deletionGraceSeconds } = await findOpenOrganization(app, wanted.organizationId);
  const now = currentTimeOf(app);
  const found = await app.store.requestDeletion(
    {
      ...wanted,
      resourceType,
      basis,
      deletionRequestId: makeId("del"),
      dueAt: now + deletionGraceSeconds * 1_000,
      // The organization can read this; the audit trail names the operator.
      requestedBy: "operator",
    },
    { actor: app.operator, now },
  );
  if (found === undefined) {
    throw new OperatorError("no_such_record", `There is no ${nameTarget(wanted)} to delete.`);
  }
  return findDeletion(app, found);
}

function requireBasis(given: string | undefined): DeletionBasis | undefined {
  const basis = deletionBasisNames.find((name) => name === given);
  if (given === undefined || basis !== undefined) return basis;
  throw new OperatorError("invalid", `The basis must be one of ${deletionBasisNames.join(", ")}.`);
}

/** While a deletion of the record is open, returns the same id. Throws AppError no_such_record. */
export async function requestDeletion(
  app: App,
  caller: Identity,
  wanted: DeletionTarget,
): Promise<string> {
  const now = currentTimeOf(app);
  const found = await app.inFlight.run(wanted.idempotency?.keyHash, () =>
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
  if (found === undefined) throw noSuchRecord(wanted.type);
  return found;
}
