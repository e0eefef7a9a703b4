// Cancels a pending deletion request. One that is processing can't be stopped.

import type { Deletion } from "../domain/deletion/deletion.ts";
import { actOf, type App } from "./app.ts";
import { findDeletion } from "./find-target.ts";
import { OperatorError } from "./operator-error.ts";

/** Throws OperatorError no_such_deletion and not_pending. */
export async function cancelDeletion(app: App, deletionRequestId: string): Promise<Deletion> {
  const { status } = await findDeletion(app, deletionRequestId);
  const act = actOf(app);
  const outcome = await app.store.cancelDeletion(deletionRequestId, act);
  if (typeof outcome !== "string") return outcome;
  throw new OperatorError(
    "not_pending",
    `The deletion request ${deletionRequestId} is ${status === "pending" ? "no longer pending" : status}; ` +
      "only one that is pending can be cancelled.",
  );
}
