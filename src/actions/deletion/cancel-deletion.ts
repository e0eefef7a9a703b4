// Cancels a pending deletion request. One that is processing can't be stopped.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import { actOf, type App } from "../app.ts";
import { findDeletion, noSuchDeletion } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";

/** Throws OperatorError not_permitted, no_such_deletion, organization_closed and not_pending. */
export async function cancelDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  requireRight(app, "deletion.cancel");
  // A restricted set is named by the deletion that filled it.
  if (isRestrictedId(deletionRequestId)) throw noSuchDeletion(deletionRequestId);
  const deletion = await findDeletion(app, deletionRequestId);
  if (isOfOrganization(deletion)) {
    throw new OperatorError(
      "organization_closed",
      `The deletion request ${deletionRequestId} is for everything of a closed organization, and can't be cancelled. ` +
        "Nothing is erased while any of its records is on hold.",
    );
  }
  const { status } = deletion;
  const act = actOf(app);
  const outcome = await app.store.cancelDeletion(deletionRequestId, act);
  if (typeof outcome !== "string") return outcome;
  throw new OperatorError(
    "not_pending",
    `The deletion request ${deletionRequestId} is ${status === "pending" ? "no longer pending" : status}; ` +
      "only one that is pending can be cancelled.",
  );
}
