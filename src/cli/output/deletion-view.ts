// The plan of a pending deletion as the command line prints it.

import type { DeletionPreview } from "../../actions/deletion/preview-deletion.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import { describeNodes, formatCounts, viewNode } from "./restricted-view.ts";
import { type Field, formatTime, renderFields, timeOrNull } from "./table.ts";

export function viewPreview(
  preview: DeletionPreview,
  { includeConfidential }: { readonly includeConfidential: boolean },
) {
  const { erased, redacted, pseudonyms, heldRecords, floors, earliest, isCut } = preview;
  const { moved, reports, until, isHeld } = preview.restriction;
  const complete = !isCut;
  return {
    plan: {
      erases: countByType(erased),
      references_removed: countByType(redacted),
      pseudonyms,
      records_on_hold: heldRecords,
      floors: floors.map((floor) => ({
        resource_type: floor.resourceType,
        until: formatTime(floor.until),
      })),
      not_before: formatTime(earliest),
      complete,
    },
    ...(includeConfidential && {
      would_restrict: {
        records: moved.map(viewNode),
        reports: reports.map(viewNode),
        kept_until: timeOrNull(until),
        held: isHeld,
        complete,
      },
    }),
  };
}

export function describePlan(preview: DeletionPreview): string {
  const { erased, redacted, pseudonyms, heldRecords, floors, earliest, isCut } = preview;
  const { moved, reports, until, isHeld } = preview.restriction;
  const kept = floors.map(({ resourceType, keepDays, countedFrom, until: end }): Field => [
    `floor of ${resourceType}`,
    `${formatDays(keepDays)} from ${countedFrom}, until ${formatTime(end)}`,
  ]);
  const fields: readonly Field[] = [
    ["erases", formatCounts(countByType(erased), "nothing")],
    ["removes a reference from", formatCounts(countByType(redacted), "nothing")],
    ["gives a pseudonym to", String(pseudonyms)],
    ["records on hold", String(heldRecords)],
    ...kept,
    [
      "not before",
      `${formatTime(earliest)}${heldRecords > 0 ? ", and not before its holds are released" : ""}`,
    ],
  ];
  const end = `${formatTime(until)}${isHeld ? ", and until the hold on them is released" : ""}`;
  return [
    "As of now, it",
    renderFields(fields),
    ...describeNodes(`The restricted store will keep, until ${end}:`, moved),
    ...describeNodes(`Reports that will stay unchanged, until ${end}:`, reports),
    ...(isCut ? ["There is more than was read; nothing is known about the rest."] : []),
  ].join("\n");
}

function countByType(nodes: readonly Node[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of nodes) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
