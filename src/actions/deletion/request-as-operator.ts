// Requests the deletion of a record of any type for a person, as its organization would.

import { type DeletionBasis, deletionBasisNames } from "../../domain/deletion/basis.ts";
import { type Deletion, requesterOf } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { type App, currentTimeOf } from "../app.ts";
import { findOpenOrganization } from "../access/close-organization.ts";
import { makeId } from "../credential.ts";
import { withCurrentFloor } from "./deletion-wait.ts";
import { findDeletion, findType, nameTarget } from "../record/find-named-record.ts";
import { OperatorError, requireReason } from "../operator/operator-error.ts";
import { requireKnowledge, requireRight } from "../operator/viewer.ts";

export interface OperatorsDeletion extends RecordKey {
  readonly reason: string;
  /** One of `deletionBasisNames`. */
  readonly basis?: string | undefined;
}

interface OpenDeletion extends Deletion {
  /** Somebody had requested it before, so nothing of this request was stored. */
  readonly wasOpen: boolean;
}

/**
 * The record may be of any type. Throws OperatorError not_permitted, invalid, no_such_type, no_such_organization,
 * organization_closed and no_such_record.
 */
export async function requestDeletionOf(
  app: App,
  wanted: OperatorsDeletion,
): Promise<OpenDeletion> {
  requireRight(app, "deletion.request");
  requireReason(wanted.reason);
  const basis = requireBasis(wanted.basis);
  const { resourceType } = findType(wanted.resourceType);
  await requireKnowledge(app, wanted);
  const { deletionGraceSeconds } = await findOpenOrganization(app, wanted.organizationId);
  const now = currentTimeOf(app);
  const deletionRequestId = makeId("del");
  const id = await app.store.requestDeletion(
    {
      ...wanted,
      resourceType,
      basis,
      deletionRequestId,
      dueAt: now + deletionGraceSeconds * 1_000,
      // The organization can read this. Operators also see the name of the one who asked.
      requestedBy: "operator",
    },
    { actor: app.operator, now },
  );
  if (id === undefined) {
    throw new OperatorError("no_such_record", `There is no ${nameTarget(wanted)} to delete.`);
  }
  const deletion = await withCurrentFloor(app, await findDeletion(app, id));
  return { ...deletion, wasOpen: id !== deletionRequestId };
}

/** What to tell somebody whose request was not stored. */
export function describeOpen(deletion: Deletion): string {
  const at = new Date(deletion.requestedAt).toISOString().slice(0, 16).replace("T", " ");
  return (
    `A deletion of this record is open already: ${requesterOf(deletion)} requested it on ${at} UTC. ` +
    "The reason and the basis that were given now were not stored."
  );
}

function requireBasis(given: string | undefined): DeletionBasis | undefined {
  const basis = deletionBasisNames.find((name) => name === given);
  if (given === undefined || basis !== undefined) return basis;
  throw new OperatorError("invalid", `The basis must be one of ${deletionBasisNames.join(", ")}.`);
}
