// Cancels a pending deletion, or approves it as a second person if its organization requires this. A deletion that is
// processing can't be stopped. Never lets the person who requested a deletion approve it.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { isRestrictedId } from "../../domain/deletion/restricted-set.ts";
import type { NotApproved } from "../../store/interface/deletion.ts";
import { actOf, type App } from "../app.ts";
import { findDeletion, noSuchDeletion } from "../record/find-named-record.ts";
import { OperatorError, type OperatorErrorName } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { requireNamed } from "../proposal/agreement.ts";

/** Throws OperatorError not_permitted for the requester too, and if no person is named. */
export async function approveDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  requireRight(app, "deletion.approve");
  requireNamed(app);
  await findDeletion(app, deletionRequestId);
  const approved = await app.store.proposals.approveDeletion(deletionRequestId, actOf(app));
  if (typeof approved !== "string") return approved;
  throw explain(approved, await findDeletion(app, deletionRequestId), app.operator);
}

function explain(reason: NotApproved, deletion: Deletion, operator: string): OperatorError {
  const { deletionRequestId: id, status, approval } = deletion;
  const state = status === "pending" ? "no longer pending" : status;
  const errors: Readonly<Record<NotApproved, readonly [OperatorErrorName, string]>> = {
    own_request: [
      "not_permitted",
      `${operator} requested the deletion ${id}, or created the key that did, so another person has to approve it. Nothing was changed.`,
    ],
    no_such_person: [
      "not_permitted",
      `${operator} is not an active officer whom another one has confirmed, and can't approve deletions. Nothing was changed.`,
    ],
    approved_before: [
      "approved_before",
      `The deletion ${id} was approved by ${approval?.approvedBy ?? "another person"} already.`,
    ],
    not_needed: ["approval_not_needed", `The deletion ${id} needs no approval.`],
    not_pending: [
      "not_pending",
      `The deletion ${id} is ${state}; only one that is pending can be approved.`,
    ],
    no_such_deletion: ["no_such_deletion", `There is no deletion request "${id}".`],
  };
  return new OperatorError(...errors[reason]);
}

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
