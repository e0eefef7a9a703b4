// Legal holds as the command line prints them.

import type { Hold } from "../../domain/access.ts";
import { type Column, formatTime, renderTable } from "./table.ts";

export function viewHold(hold: Hold) {
  return {
    hold_id: hold.holdId,
    organization_id: hold.organizationId,
    resource_type: hold.resourceType,
    resource_id: hold.resourceId,
    reason: hold.reason,
    owner: hold.owner ?? null,
    review_date: hold.reviewOn ?? null,
    until: hold.endsOn ?? null,
    placed_at: formatTime(hold.placedAt),
    placed_by: hold.placedBy,
  };
}

const idColumn: Column<Hold> = ["hold", ({ holdId }) => holdId];
const recordColumns: readonly Column<Hold>[] = [
  ["organization", ({ organizationId }) => organizationId],
  ["record", ({ resourceType, resourceId }) => `${resourceType} ${resourceId}`],
];
const otherColumns: readonly Column<Hold>[] = [
  ["reason", ({ reason }) => reason],
  ["owner", ({ owner }) => owner ?? "-"],
  ["review", ({ reviewOn }) => reviewOn ?? "-"],
  ["until", ({ endsOn }) => endsOn ?? "released"],
  ["placed", ({ placedAt }) => formatTime(placedAt)],
  ["by", ({ placedBy }) => placedBy],
];

/** The holds of one record. */
export function renderHolds(holds: readonly Hold[]): string {
  return renderTable([idColumn, ...otherColumns], holds);
}

/** The holds of any records, each with its record. */
export function renderHoldsOfRecords(holds: readonly Hold[]): string {
  return renderTable([idColumn, ...recordColumns, ...otherColumns], holds);
}

export function describeEnd({ endsOn }: Hold): string {
  return endsOn === undefined
    ? "It lasts until it is released."
    : `It ends by itself after ${endsOn}, unless it is released before.`;
}
