// Restricted sets as the command line prints them.

import type {
  HeldRecord,
  RestrictedSet,
  RestrictedSetDetails,
} from "../../actions/retention/restricted-sets.ts";
import type { Node } from "../../domain/deletion/erasure.ts";
import { isPseudonym } from "../../domain/deletion/party.ts";
import type { KeptReference } from "../../domain/deletion/restricted-set.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { replaceControls } from "./control-characters.ts";
import { type Column, formatTime, renderFields, renderTable, timeOrNull } from "./table.ts";
import { listedHolds } from "../../noun/hold.ts";

export function viewSet({ deletion, movedBy, counts }: RestrictedSet) {
  return {
    deletion_request_id: movedBy?.deletionRequestId ?? null,
    organization_id: deletion.restrictedOf ?? null,
    resource_type: movedBy?.resourceType ?? null,
    resource_id: movedBy?.resourceId ?? null,
    moved_at: timeOrNull(movedBy?.completedAt),
    status: deletion.status,
    kept_until: timeOrNull(deletion.floorUntil),
    waiting_for: deletion.waitingFor ?? null,
    records: counts,
  };
}

export function viewNode({ type, id }: Node) {
  return { resource_type: type, resource_id: id };
}

export function describeNodes(title: string, nodes: readonly Node[]): readonly string[] {
  if (nodes.length === 0) return [];
  return [title, ...nodes.map(({ type, id }) => `  ${replaceControls(`${type} ${id}`)}`)];
}

const setColumns: readonly Column<RestrictedSet>[] = [
  ["deletion request", ({ movedBy }) => movedBy?.deletionRequestId ?? "-"],
  [
    "record",
    ({ movedBy }) =>
      movedBy === undefined ? "-" : `${movedBy.resourceType} ${movedBy.resourceId}`,
  ],
  ["moved", ({ movedBy }) => formatTime(movedBy?.completedAt)],
  ["keeps", ({ counts }) => formatCounts(counts)],
  ["until", ({ deletion }) => formatTime(deletion.floorUntil)],
  ["waits for", ({ deletion }) => deletion.waitingFor ?? "-"],
];

export function renderSets(sets: readonly RestrictedSet[]): string {
  return renderTable(setColumns, sets);
}

export function viewSetDetails(shown: RestrictedSetDetails) {
  return {
    ...viewSet(shown),
    list: shown.records.map((record) => ({
      resource_type: record.resourceType,
      resource_id: record.resourceId,
      first_seen: formatTimestamp(record.firstSeen),
      last_seen: formatTimestamp(record.lastSeen),
      holds: record.holds.map((one) => listedHolds.json(one)),
    })),
    references: shown.references.map((reference) => ({
      from_type: reference.fromType,
      from_id: reference.fromId,
      from_set: reference.fromSet ?? null,
      to_type: reference.toType,
      to_id: reference.toId,
      pseudonym_of: pseudonymOf(reference, shown) ?? null,
    })),
    more: shown.more,
  };
}

/** The id that a pseudonym replaced; undefined for any other reference. */
function pseudonymOf(
  { toId }: KeptReference,
  { movedBy }: Pick<RestrictedSet, "movedBy">,
): string | undefined {
  return isPseudonym(toId) ? movedBy?.resourceId : undefined;
}

const recordColumns: readonly Column<HeldRecord>[] = [
  ["type", ({ resourceType }) => resourceType],
  ["id", ({ resourceId }) => resourceId],
  ["first seen", ({ firstSeen }) => formatTimestamp(firstSeen)],
  ["last seen", ({ lastSeen }) => formatTimestamp(lastSeen)],
];

function referenceColumns(shown: RestrictedSet): readonly Column<KeptReference>[] {
  return [
    ["report", ({ fromType, fromId }) => `${fromType} ${fromId}`],
    ["names", ({ toType, toId }) => `${toType} ${toId}`],
    ["a pseudonym of", (reference) => pseudonymOf(reference, shown) ?? "-"],
  ];
}

export function describeSet(shown: RestrictedSetDetails): string {
  const { deletion, movedBy, counts, records, references } = shown;
  const fields = renderFields([
    ["deletion request", movedBy?.deletionRequestId ?? "-"],
    ["organization", deletion.restrictedOf ?? "-"],
    ["record", movedBy === undefined ? "-" : `${movedBy.resourceType} ${movedBy.resourceId}`],
    ["moved", formatTime(movedBy?.completedAt)],
    ["status", deletion.status],
    ["kept until", formatTime(deletion.floorUntil)],
    ["waits for", deletion.waitingFor ?? "-"],
    ["keeps", formatCounts(counts)],
  ]);
  const holds = records.flatMap((record) => record.holds);
  const parts = [fields];
  if (records.length > 0) parts.push(`Records\n${renderTable(recordColumns, records)}`);
  if (holds.length > 0) parts.push(`Holds\n${listedHolds.table(holds)}`);
  if (references.length > 0) {
    const table = renderTable(referenceColumns(shown), references);
    parts.push(`References of reports, and pseudonyms in their transactions\n${table}`);
  }
  if (shown.more) parts.push("There are more; use --limit, or sluice restricted export.");
  return parts.join("\n\n");
}

export function formatCounts(
  counts: Readonly<Partial<Record<string, number>>>,
  none = "only references",
): string {
  const list = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  return list.length === 0 ? none : list.join(", ");
}
