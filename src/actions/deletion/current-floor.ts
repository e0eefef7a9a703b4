// Finds until when a pending deletion waits for retention floors. The worker evaluates a waiting deletion only every
// seven days, and its records may be seen again in between, so this reads their current state. Changes nothing.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import type { App } from "../app.ts";

/** If the floors end before the next attempt of the worker, the deletion waits for that attempt. */
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
