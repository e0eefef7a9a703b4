// Releases a legal hold. Deletions that waited for it continue when no other hold prevents them.

import type { Hold } from "../../domain/access.ts";
import { actOf, type App } from "../app.ts";
import { findHold, noSuchHold } from "./list-holds.ts";
import { findTarget, nameTarget, type Target } from "../record/find-named-record.ts";
import { listNames, OperatorError } from "../operator/operator-error.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";

export interface Released {
  readonly hold: Hold;
  /** Holds that remain on the record. */
  readonly remaining: readonly Hold[];
}

/** `target`: a record with one hold, or the id of a hold. Throws OperatorError not_permitted, no_such_hold and several_holds. */
export async function releaseHold(
  app: App,
  target: Target | { readonly holdId: string },
): Promise<Released> {
  requireRight(app, "hold.release");
  const holdId = "holdId" in target ? target.holdId : await findOnlyHold(app, target);
  await findHold(app, holdId);
  const hold = await app.store.holds.release(holdId, actOf(app));
  // Somebody else has released it meanwhile.
  if (hold === undefined) throw noSuchHold(holdId);
  return { hold, remaining: await app.store.holds.ofRecords([hold]) };
}

async function findOnlyHold(app: App, target: Target): Promise<string> {
  const key = await findTarget(app, target);
  const [only, ...others] = await app.store.holds.ofRecords([key]);
  if (only === undefined) {
    const { organizationId } = key;
    const holds = await app.store.holds.list({ organizationId, limit: 100 });
    const known = holds.filter(await viewerOf(app).public().knowledge(organizationId));
    const held =
      known.length === 0
        ? `Nothing that is not confidential is held in organization "${organizationId}".`
        : `Held there: ${listNames(known.map((hold) => `${hold.resourceType} ${hold.resourceId}`))}.`;
    throw new OperatorError("no_such_hold", `There is no hold on ${nameTarget(key)}. ${held}`);
  }
  if (others.length === 0) return only.holdId;
  const holds = [only, ...others].map(({ holdId, reason }) => `  ${holdId}  ${reason}`);
  throw new OperatorError(
    "several_holds",
    [`The ${nameTarget(key)} has ${holds.length} holds.`, ...holds.slice(0, 20)].join("\n"),
  );
}
