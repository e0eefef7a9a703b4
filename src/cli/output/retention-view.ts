// What retention would delete, as the command line prints it.

import type { RetentionPreview } from "../../actions/apply-retention.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { renderFields } from "./table.ts";

export function viewPreview({ organization, before, counts, dueByType, due }: RetentionPreview) {
  return {
    organization_id: organization.organizationId,
    retain_days: organization.retainDays ?? null,
    before: formatTimestamp(before),
    due: counts.due,
    due_by_type: dueByType,
    held: counts.held,
    deletion_open: counts.open,
    needed_by_later: counts.needed,
    first: due.map(({ resourceType, resourceId }) => ({
      resource_type: resourceType,
      resource_id: resourceId,
    })),
  };
}

export function describePreview({
  organization,
  before,
  counts,
  dueByType,
  due,
}: RetentionPreview): string {
  const types = Object.entries(dueByType).map(([type, count]) => `${count} ${type}`);
  const fields = renderFields([
    ["organization", organization.organizationId],
    ["last seen before", formatTimestamp(before)],
    ["would be deleted", types.length === 0 ? "nothing" : types.join(", ")],
    ["kept, on hold", String(counts.held)],
    ["kept, needed by later ones", String(counts.needed)],
    ["deletion already open", String(counts.open)],
  ]);
  const first = due.map(({ resourceType, resourceId }) => `  ${resourceType} ${resourceId}`);
  return first.length === 0 ? fields : [fields, "The first of them:", ...first].join("\n");
}
