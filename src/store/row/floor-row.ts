// The row of a retention floor and its conversion, and the detail of its audit entries. The same on every engine.

import type { FloorOrigin, RetentionFloor } from "../../domain/retention/floor.ts";
import type { FloorChange } from "../interface/retention.ts";

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

/** The action of the entry of a rule that was set or removed. */
export const floorActions = { set: "retention.set", remove: "retention.remove" } as const;

/** The detail of the entry, from which the ledger is written. */
export function describeChange(
  { resourceType, rule }: FloorChange,
  because: string | undefined,
): Readonly<Record<string, unknown>> {
  return { resourceType, ...rule, ...(because === undefined ? {} : { because }) };
}
