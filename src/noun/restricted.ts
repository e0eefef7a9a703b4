// Restricted sets: records that deletions had to keep, why and until when. Their values, and the commands `sluice
// restricted …`. Their page is in src/console/page/restricted.ts, because each reading is in the audit trail.

import { sealedLines } from "../actions/receipt/manifest.ts";
import {
  exportRestrictedSet,
  type HeldRecord,
  listRestrictedSets,
  type RestrictedSet,
  type RestrictedSetDetails,
  showRestrictedSet,
} from "../actions/retention/restricted-sets.ts";
import { defineStoreCommand, optional, required, withDefault } from "../cli/command.ts";
import { reason, text, wholeNumber } from "../cli/input/kinds.ts";
import { formatCounts, formatTime } from "../cli/output/table.ts";
import { writeLines } from "../cli/output/write-entries.ts";
import { html } from "../console/html/html.ts";
import { renderDeletionOf, renderRecordName } from "../console/html/link.ts";
import {
  formatCounts as countInWords,
  renderExactTime,
  renderTimestamp,
} from "../console/html/time.ts";
import { isPseudonym } from "../domain/deletion/party.ts";
import type { KeptReference } from "../domain/deletion/restricted-set.ts";
import { sayOrigin } from "../domain/retention/floor.ts";
import { formatTimestamp } from "../domain/timestamp.ts";
import { defineList } from "./act.ts";
import { listedHolds } from "./hold.ts";
import { defineNoun } from "./noun.ts";
import { sluice } from "../basics/program-name.ts";

type Row = ReturnType<typeof rowOf>;

export function rowOf({ deletion, movedBy, counts }: RestrictedSet) {
  const { restrictedOf, status, floorUntil, waitingFor } = deletion;
  const { deletionRequestId, resourceType, resourceId, completedAt } = movedBy ?? {};
  const moved = { deletionRequestId, resourceType, resourceId, movedAt: completedAt, movedBy };
  const kept = { keptUntil: floorUntil, waitingFor, records: counts };
  return { ...moved, organizationId: restrictedOf, status, ...kept };
}

export const sets = defineNoun<Row, void>({
  values: {
    record: {
      text: ({ movedBy }) => (movedBy ? `${movedBy.resourceType} ${movedBy.resourceId}` : "-"),
      html: ({ movedBy }) => movedBy && renderDeletionOf(movedBy),
      kind: "text",
    },
    records: {
      text: ({ records }) => formatCounts(records),
      html: ({ records }) => countInWords(records) || "only references",
      kind: "text",
    },
    movedAt: { html: ({ movedAt }) => renderExactTime(movedAt) },
    keptUntil: { html: ({ keptUntil }) => renderExactTime(keptUntil) },
    waitingFor: {
      html: ({ waitingFor }) => html`<bdi>${sayOrigin(waitingFor ?? "nothing")}</bdi>`,
      kind: "text",
    },
  },
  json: "deletionRequestId, organizationId, resourceType, resourceId, movedAt, status, keptUntil, waitingFor, records",
  columns:
    "deletionRequestId: deletion request, record, movedAt, records: keeps, keptUntil: until, waitingFor: waits for",
  fields:
    "deletionRequestId: deletion request, organizationId, record, movedAt, status, keptUntil, waitingFor: waits for, " +
    "records: keeps",
  headings: "record: Erased record, records: Keeps, waitingFor: Waits for, keptUntil",
  facts:
    "record: Erased record, organizationId, movedAt, records: Keeps, waitingFor: Waits for, keptUntil",
});

const seen = (name: "firstSeen" | "lastSeen") => {
  const format = (record: HeldRecord) => formatTimestamp(record[name]);
  return {
    json: format,
    text: format,
    html: (record: HeldRecord) => renderTimestamp(record[name]),
  };
};

export const keptRecords = defineNoun<HeldRecord, void>({
  values: {
    record: { html: renderRecordName, kind: "bare" },
    firstSeen: seen("firstSeen"),
    lastSeen: seen("lastSeen"),
    holds: { json: ({ holds }) => holds.map((one) => listedHolds.json(one)) },
  },
  json: "resourceType, resourceId, firstSeen, lastSeen, holds",
  columns: "resourceType: type, resourceId: id, firstSeen, lastSeen",
  headings: "record, firstSeen, lastSeen",
});

/** A pseudonym stands for the record that the deletion of the set has erased. */
const references = defineNoun<KeptReference, RestrictedSet>({
  values: {
    report: { text: ({ fromType, fromId }) => `${fromType} ${fromId}` },
    names: { text: ({ toType, toId }) => `${toType} ${toId}` },
    pseudonymOf: {
      json: (reference, set) => pseudonymOf(reference, set) ?? null,
      text: (reference, set) => pseudonymOf(reference, set) ?? "-",
    },
  },
  json: "fromType, fromId, fromSet, toType, toId, pseudonymOf",
  columns: "report, names, pseudonymOf: a pseudonym of",
});

function pseudonymOf({ toId }: KeptReference, { movedBy }: RestrictedSet): string | undefined {
  return isPseudonym(toId) ? movedBy?.resourceId : undefined;
}

const restrictedOptions = {
  organization: required(text("ID"), "Organization that the records belonged to."),
  reason: optional(reason, "Why you read it; for the audit trail."),
};

export const restrictedList = defineList({
  name: "restricted list",
  plural: "sets",
  summary:
    "List what deletions of an organization had to keep: confidential reports and what supports them.",
  details:
    "A confidential report under a legal hold or a retention floor does not delay a deletion. It moves to a restricted set, with " +
    "the transactions and alerts that it names, and is erased when the last hold is released and the last floor has ended. " +
    "Nobody but operators can read restricted sets. The audit trail records who used this, when, and the reason if one is given.",
  examples: ['sluice restricted list --organization acme --reason "annual review"'],
  rights: ["restricted.list"],
  options: restrictedOptions,
  rows: sets,
  find: async (app, { organization: organizationId, reason: why }) =>
    (await listRestrictedSets(app, { organizationId, reason: why })).map(rowOf),
  none: "Nothing is restricted.",
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
    return { json: viewSet(shown), text: describeSet(shown) };
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

function viewSet(shown: RestrictedSetDetails) {
  return {
    ...sets.json(rowOf(shown)),
    list: shown.records.map((record) => keptRecords.json(record)),
    references: shown.references.map((reference) => references.json(reference, shown)),
    more: shown.more,
  };
}

function describeSet(shown: RestrictedSetDetails): string {
  const { records } = shown;
  const holds = records.flatMap((record) => record.holds);
  const parts = [sets.describe(rowOf(shown))];
  if (records.length > 0) parts.push(`Records\n${keptRecords.table(records)}`);
  if (holds.length > 0) parts.push(`Holds\n${listedHolds.table(holds)}`);
  if (shown.references.length > 0) {
    const table = references.table(shown.references, shown);
    parts.push(`References of reports, and pseudonyms in their transactions\n${table}`);
  }
  if (shown.more) parts.push(`There are more; use --limit, or ${sluice} restricted export.`);
  return parts.join("\n\n");
}
