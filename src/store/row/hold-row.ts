// A legal hold as an engine keeps it in a row, and what the audit trail says of it. Reads and writes nothing.

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

/** The detail of the audit entry: everything but the record, which is the entry's subject. */
export function describeHold(hold: Hold, because?: string): Readonly<Record<string, unknown>> {
  return {
    holdId: hold.holdId,
    reason: hold.reason,
    owner: hold.owner ?? null,
    reviewOn: hold.reviewOn ?? null,
    placedAt: hold.placedAt,
    placedBy: hold.placedBy,
    ...(because === undefined ? {} : { because }),
  };
}
