// Finds whether a closed organization has records that everybody may know of and that have to be kept. As long as there
// is one, nothing of the organization is erased, whether or not there are confidential records. Changes nothing.

import { limits } from "../../../domain/limits.ts";
import { floorEnd, type RetentionFloor } from "../../../domain/retention/floor.ts";
import type { KeptQuery } from "../../interface/retention.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { all, type Statements, column } from "../statement/statements.ts";
import { listFloors } from "./floor.ts";
import { latestFloor, readOrigins, type SeenRow } from "./floor-origin.ts";

const findHeldTypes = `
  SELECT DISTINCT resource_type FROM hold WHERE organization_id = $1 AND placed_at < $2`;

const readFirst = `
  SELECT resource_id, last_seen FROM record
  WHERE organization_id = $1 AND resource_type = $2 ORDER BY resource_id LIMIT $3`;

/** A later hold says nothing: it could be placed only because something had kept the records until then. */
export function* keepsOrganization(query: KeptQuery): Statements<boolean> {
  const { organizationId, closedAt } = query;
  const confidential = yield* readConfidentialTypes(organizationId);
  const heldTypes = new Set(yield* column<string>(findHeldTypes, organizationId, closedAt));
  if (heldTypes.difference(confidential).size > 0) return true;
  for (const floor of yield* listFloors(organizationId)) {
    if (confidential.has(floor.resourceType)) continue;
    if (yield* keepsRecord(floor, query)) return true;
  }
  return false;
}

function* keepsRecord(floor: RetentionFloor, query: KeptQuery): Statements<boolean> {
  const { organizationId, closedAt, until } = query;
  const { resourceType, countedFrom } = floor;
  const isSeen = countedFrom === "last_seen";
  const max = isSeen ? limits.floorScanRowsMax : limits.floorScanHistoriesMax;
  const rows = yield* all<SeenRow>(readFirst, organizationId, resourceType, max);
  if (isSeen) return rows.some(({ last_seen }) => floorEnd(floor, last_seen, closedAt) > until);
  const records = rows.map(({ resource_id: resourceId }) => {
    return { organizationId, resourceType, resourceId };
  });
  const search = { floors: [floor], records };
  const origins = yield* readOrigins(search);
  // The deletion was requested after the closing, so a floor that counts from the request ends later still.
  const latest = latestFloor({ ...search, origins, requestedAt: closedAt });
  return (latest?.until ?? 0) > until;
}
