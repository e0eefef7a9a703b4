// What retention would delete, and the rules of an organization, as the command line prints them.

import type { RetentionPreview } from "../../actions/retention/apply-retention.ts";
import type { Retention } from "../../actions/retention/retention-floors.ts";
import { formatDays, type RetentionFloor } from "../../domain/retention/floor.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { describeNodes, viewNode } from "./restricted-view.ts";
import { type Column, renderFields, renderTable } from "./table.ts";

export function viewRetention({ organization, floors }: Retention) {
  return {
    organization_id: organization.organizationId,
    retain_days: organization.retainDays ?? null,
    floors: floors.map(({ resourceType, keepDays, countedFrom, redactable }) => ({
      resource_type: resourceType,
      keep_days: keepDays,
      counted_from: countedFrom,
      redactable,
    })),
  };
}

const floorColumns: readonly Column<RetentionFloor>[] = [
  ["type", ({ resourceType }) => resourceType],
  ["kept at least", ({ keepDays }) => formatDays(keepDays)],
  ["counted from", ({ countedFrom }) => countedFrom],
  ["references", ({ redactable }) => (redactable ? "may be redacted" : "kept too")],
];

export function describeRetention({ organization, floors }: Retention): string {
  const { organizationId, retainDays, closedAt } = organization;
  const afterClosing =
    "everything is deleted together, once the last floor of its records has ended";
  const ceiling =
    retainDays === undefined
      ? "none: records are kept until a deletion is requested"
      : `records are deleted ${formatDays(retainDays)} after they were last seen`;
  const fields = renderFields([
    ["organization", organizationId],
    ...(closedAt === undefined ? [] : [["closed", afterClosing] as const]),
    ["ceiling", ceiling],
    ["floors", floors.length === 0 ? "none" : String(floors.length)],
  ]);
  return floors.length === 0 ? fields : `${fields}\n\n${renderTable(floorColumns, floors)}`;
}

export function viewPreview(preview: RetentionPreview) {
  const { organization, before, counts, dueByType, due, restricted } = preview;
  return {
    organization_id: organization.organizationId,
    retain_days: organization.retainDays ?? null,
    before: formatTimestamp(before),
    due: counts.due,
    due_by_type: dueByType,
    held: counts.held,
    under_floor: counts.floor,
    deletion_open: counts.open,
    needed_by_later: counts.needed,
    first: due.map(({ resourceType, resourceId }) => ({
      resource_type: resourceType,
      resource_id: resourceId,
    })),
    ...(restricted === undefined ? {} : { would_restrict: restricted.map(viewNode) }),
  };
}

export function describePreview({
  organization,
  before,
  counts,
  dueByType,
  due,
  restricted,
}: RetentionPreview): string {
  const types = Object.entries(dueByType).map(([type, count]) => `${count} ${type}`);
  const fields = renderFields([
    ["organization", organization.organizationId],
    ["last seen before", formatTimestamp(before)],
    ["would be deleted", types.length === 0 ? "nothing" : types.join(", ")],
    ["kept, on hold", String(counts.held)],
    ["kept, under a retention floor", String(counts.floor)],
    ["kept, needed by later ones", String(counts.needed)],
    ["deletion already open", String(counts.open)],
  ]);
  const first = due.map(({ resourceType, resourceId }) => `  ${resourceType} ${resourceId}`);
  return [
    fields,
    ...(first.length === 0 ? [] : ["The first of them:", ...first]),
    ...describeNodes(
      "The restricted store would keep these records, which belong to them:",
      restricted ?? [],
    ),
  ].join("\n");
}
