// Ends the legal hold on a record; deletions that waited for it go on by themselves.

import type { Hold } from "../domain/access.ts";
import type { App } from "./app.ts";
import { findTarget, nameTarget, type Target } from "./find-target.ts";
import { listNames, OperatorError } from "./operator-error.ts";

/** Throws OperatorError no_such_hold, and what findTarget throws. */
export async function releaseRecord(app: App, target: Target): Promise<Hold> {
  const key = await findTarget(app, target);
  const released = await app.store.releaseHold(key, { actor: "operator", now: app.now() });
  if (released !== undefined) return released;
  const holds = await app.store.listHolds(key.organizationId);
  const known =
    holds.length === 0
      ? `Nothing is held in organization "${key.organizationId}".`
      : `Held there: ${listNames(holds.map((hold) => `${hold.resourceType} ${hold.resourceId}`))}.`;
  throw new OperatorError("no_such_hold", `There is no hold on ${nameTarget(key)}. ${known}`);
}
