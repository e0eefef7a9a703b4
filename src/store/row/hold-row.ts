// The row of a legal hold and its conversion. The same on every engine.

import type { Hold } from "../../domain/access.ts";

export interface HoldRow {
  readonly hold_id: string;
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly reason: string;
  readonly owner: string | null;
  readonly review_on: string | null;
  readonly placed_at: number;
  readonly placed_by: string;
}

export function toHold(row: HoldRow): Hold {
  return {
    holdId: row.hold_id,
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    reason: row.reason,
    owner: row.owner ?? undefined,
    reviewOn: row.review_on ?? undefined,
    placedAt: row.placed_at,
    placedBy: row.placed_by,
  };
}
