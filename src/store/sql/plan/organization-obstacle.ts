// Plans the deletion of an organization: the plan is one target, everything that belongs to it. Finds what prevents its
// start: a hold, an unfinished deletion of a single record, or a retention floor. Nothing is erased while any obstacle
// remains.

import { type ErasurePlan, nodeKey } from "../../../domain/deletion/erasure.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { describeFloor } from "../../../domain/retention/floor.ts";
import { type FloorScan, isScanOf, listFloorsOf } from "./organization-floors.ts";
import type { Obstacle, Planning } from "./plan.ts";
import { findSetObstacle } from "./restricted-set.ts";
import { get, type Statements } from "../statement/statements.ts";

const findAnyHold = `
  SELECT resource_type, resource_id FROM hold WHERE organization_id = $1
  ORDER BY placed_at, hold_id LIMIT 1`;

const findProcessing = `
  SELECT deletion_request_id FROM deletion
  --sqlite INDEXED BY deletion_open
  WHERE organization_id = $1 AND status IN ('pending', 'processing') AND status = 'processing'
    AND resource_type <> $2
  LIMIT 1`;

/** Shown to operators as the reason while the scan runs. */
export const readingFloors = "the retention floors of all records, which are being read";

/** Returns the plan or its obstacle; `floors` if the floors of the records have to be read first. */
export function* planOrganization(
  planning: Planning,
  scan: FloorScan | undefined,
): Statements<ErasurePlan | Obstacle | "floors"> {
  const { organizationId } = planning;
  const obstacle = yield* findObstacleOfAll(planning, scan);
  return obstacle ?? { erase: [nodeKey(organizationType, organizationId)], redact: [] };
}

function* findObstacleOfAll(
  planning: Planning,
  scan: FloorScan | undefined,
): Statements<Obstacle | "floors" | undefined> {
  const { organizationId, now, isReplay } = planning;
  const found =
    (yield* findHold(organizationId)) ??
    (yield* findUnfinished(organizationId)) ??
    (yield* findSetObstacle(planning));
  if (found !== undefined || isReplay) return found;
  const floors = yield* listFloorsOf(planning);
  if (floors.length === 0) return undefined;
  if (!isScanOf(scan, floors)) return "floors";
  const latest = scan?.latest;
  if (latest === undefined || latest.until <= now) return undefined;
  const waitingFor = describeFloor(latest, latest.resourceId, latest.until);
  return { waitingFor, held: false, floorUntil: latest.until };
}

function* findHold(organizationId: string): Statements<Obstacle | undefined> {
  const hold = yield* get<{ resource_type: string; resource_id: string }>(
    findAnyHold,
    organizationId,
  );
  if (hold === undefined) return undefined;
  return { waitingFor: `a hold on ${hold.resource_type} ${hold.resource_id}`, held: true };
}

function* findUnfinished(organizationId: string): Statements<Obstacle | undefined> {
  const other = yield* get<{ deletion_request_id: string }>(
    findProcessing,
    organizationId,
    organizationType,
  );
  if (other === undefined) return undefined;
  const { deletion_request_id: id } = other;
  return { waitingFor: `the deletion ${id}, which is processing`, held: false };
}
