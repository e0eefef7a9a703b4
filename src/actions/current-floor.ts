// Until when a pending deletion waits for retention floors, as its records are now: the worker evaluates one that waits at least
// every seven days, and meanwhile they may be seen again. Changes nothing.

import type { Deletion } from "../domain/deletion/deletion.ts";
import { isOfOrganization } from "../domain/deletion/organization-deletion.ts";
import type { App } from "./app.ts";

/** The worker processes it at its next attempt, if the floors end before that. */
export async function withCurrentFloor(app: App, deletion: Deletion): Promise<Deletion> {
  if (!waitsForFloors(deletion)) return deletion;
  const found = await app.store.retention.findFloorNow(deletion, app.now());
  if (found === "unknown") return deletion;
  const until = Math.max(found.floorUntil ?? 0, deletion.nextAttemptAt ?? 0);
  return {
    ...deletion,
    floorUntil: until === 0 ? undefined : until,
    waitingFor: found.waitingFor,
  };
}

/** True also for a floor that the worker has not evaluated yet. A hold or another obstacle comes first. */
function waitsForFloors(deletion: Deletion): boolean {
  const { status, isHeld = false, floorUntil, waitingFor } = deletion;
  if (status !== "pending" || isHeld || isOfOrganization(deletion)) return false;
  return floorUntil !== undefined || waitingFor === undefined;
}
