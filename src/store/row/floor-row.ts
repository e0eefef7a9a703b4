// The row of a retention floor and its conversion. The same on every engine.

import type { FloorOrigin, RetentionFloor } from "../../domain/retention/floor.ts";

export interface FloorRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly keep_days: number;
  readonly counted_from: FloorOrigin;
}

export function toFloor(row: FloorRow): RetentionFloor {
  return {
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    keepDays: row.keep_days,
    countedFrom: row.counted_from,
  };
}
