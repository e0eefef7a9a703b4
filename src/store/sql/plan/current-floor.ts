// Reads the retention floor that a pending deletion waits for now; the floor may have changed, because its records may
// have been seen again since the worker evaluated them. Reads a bounded part of the cascade, and no confidential
// records, because these delay no deletion.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { planErasure } from "../../../domain/deletion/erasure.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import { previewCascade } from "../record/cascade-preview.ts";
import { listFloors } from "../retention/floor.ts";
import { findLongHistories, readOrigins } from "../retention/floor-origin.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { findPartyObstacle } from "./party-obstacle.ts";
import { findFloorObstacle, laterObstacle, planningOf, recordsUnderFloor } from "./plan.ts";
import type { Statements } from "../statement/statements.ts";

/**
 * The floor that a deletion waits for according to its current records; `unknown` if finding it takes more reads than
 * one reply may cost.
 */
export type FloorNow = Partial<Pick<Deletion, "floorUntil" | "waitingFor">> | "unknown";

/**
 * Finds the floor that a pending deletion of a record waits for now. The result is `unknown` if one reply would have
 * to read too many records.
 */
export function* findFloorNow(deletion: Deletion, now: number): Statements<FloorNow> {
  const { organizationId, resourceType: own } = deletion;
  const floors = yield* listFloors(organizationId);
  if (floors.length === 0) return {};
  const confidential = yield* readConfidentialTypes(organizationId);
  const planning = planningOf(deletion, now, confidential);
  const types = recordTypes
    .map(({ resourceType }) => resourceType)
    .filter((type) => type === own || !confidential.has(type));
  const { edges, isComplete } = yield* previewCascade(deletion, types);
  const plan = planErasure(planning.root, edges);
  const search = { floors, records: recordsUnderFloor(plan, planning, floors) };
  if (!isComplete || (yield* findLongHistories(search)).length > 0) return "unknown";
  const origins = yield* readOrigins(search);
  const found = findFloorObstacle(plan, planning, { floors, origins });
  const ofParty = yield* findPartyObstacle(deletion, { now, pagesMax: 4 });
  if (typeof ofParty === "string") return "unknown";
  const { floorUntil, waitingFor } = laterObstacle(found, ofParty) ?? {};
  return { floorUntil, waitingFor };
}
