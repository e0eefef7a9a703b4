// `sluice restricted …`: the commands about records that deletions had to keep.

import { sealedLines } from "../../actions/proof/manifest.ts";
import {
  exportRestrictedSet,
  type HeldRecord,
  listRestrictedSets,
  type RestrictedSet,
  type RestrictedSetDetails,
  showRestrictedSet,
} from "../../actions/retention/restricted-sets.ts";
import { defineStoreCommand, optional, required, withDefault } from "../command.ts";
import { reason, text, wholeNumber } from "../input/kinds.ts";
import { writeLines } from "../output/write-entries.ts";
import {
  type Column,
  formatCounts,
  formatTime,
  renderFields,
  renderTable,
  timeOrNull,
} from "../output/table.ts";
import { isPseudonym } from "../../domain/deletion/party.ts";
import type { KeptReference } from "../../domain/deletion/restricted-set.ts";
import { formatTimestamp } from "../../domain/timestamp.ts";
import { listedHolds } from "../../noun/hold.ts";

const restrictedOptions = {
  organization: required(text("ID"), "Organization that the records belonged to."),
  reason: optional(reason, "Why you read it; for the audit trail."),
};

export const restrictedList = defineStoreCommand({
  name: "restricted list",
  summary:
    "List what deletions of an organization had to keep: confidential reports and what supports them.",
  details:
    "A confidential report under a legal hold or a retention floor does not delay a deletion. It moves to a restricted set, with " +
    "the transactions and alerts that it names, and is erased when the last hold is released and the last floor has ended. " +
    "Nobody but operators can read restricted sets. The audit trail records who used this, when, and the reason if one is given.",
  examples: ['sluice restricted list --organization acme --reason "annual review"'],
  rights: ["restricted.list"],
  options: restrictedOptions,
  run: async (app, { organization, reason: why }) => {
    const sets = await listRestrictedSets(app, { organizationId: organization, reason: why });
    return {
      json: { sets: sets.map(viewSet) },
      text: sets.length === 0 ? "Nothing is restricted." : renderTable(setColumns, sets),
    };
  },
});

export const restrictedShow = defineStoreCommand({
  name: "restricted show",
  summary: "Show a restricted set: its records, their legal holds, and until when they are kept.",
  details:
    "Also shows which references remain in reports that stay in the organization, until the set is erased, and for whom a " +
    "pseudonym stands in the transactions of such reports. The audit trail records who used " +
    "this, when, and the reason if one is given. `sluice restricted export` prints the content of the records.",
  examples: ["sluice restricted show del_4fQ2mN8sT1vXc7Za --organization acme"],
  rights: ["restricted.show"],
  arguments: {
    id: required(text("DELETION_REQUEST_ID"), "The deletion request that moved the records."),
  },
  options: {
    ...restrictedOptions,
    limit: withDefault(wholeNumber("N", 1, 10_000), "Maximum number of records to show.", "1000"),
  },
  run: async (app, { id, organization, reason: why, limit }) => {
    const access = { organizationId: organization, reason: why };
    const shown = await showRestrictedSet(app, access, { deletionRequestId: id, limit });
    return { json: viewSetDetails(shown), text: describeSet(shown) };
  },
});

export const restrictedExport = defineStoreCommand({
  name: "restricted export",
  summary: "Print every change of every record of a restricted set, as NDJSON.",
  details:
    "A line for each change: the type and id of its record, when it was received, and its payload. The audit trail records who used " +
    "this, when, and the reason if one is given. The last line is a signed manifest, by which the file can be verified.",
  examples: [
    'sluice restricted export del_4fQ2mN8sT1vXc7Za --organization acme --reason "court order 12/2026" > set.ndjson',
  ],
  rights: ["restricted.export"],
  arguments: {
    id: required(text("DELETION_REQUEST_ID"), "The deletion request that moved the records."),
  },
  options: restrictedOptions,
  run: async (app, { id, organization, reason: why }, { out }) => {
    const access = { organizationId: organization, reason: why };
    const lines = sealedLines(app, exportRestrictedSet(app, access, id), {
      organizationId: organization,
      query: { export: "restricted", deletion_request_id: id },
      view: ({ resourceType, resourceId, receivedAt, payload }) => ({
        resource_type: resourceType,
        resource_id: resourceId,
        received_at: formatTime(receivedAt),
        payload,
      }),
    });
    return writeLines(out, lines);
  },
});

function viewSet({ deletion, movedBy, counts }: RestrictedSet) {
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

function viewSetDetails(shown: RestrictedSetDetails) {
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

function describeSet(shown: RestrictedSetDetails): string {
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
