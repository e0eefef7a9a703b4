// `sluice restricted …`: the commands about records that deletions had to keep.

import { sealedLines } from "../../actions/proof/manifest.ts";
import {
  exportRestrictedSet,
  listRestrictedSets,
  showRestrictedSet,
} from "../../actions/retention/restricted-sets.ts";
import { defineStoreCommand, optional, required, withDefault } from "../command.ts";
import { reason, text, wholeNumber } from "../input/kinds.ts";
import { writeLines } from "../output/write-entries.ts";
import { describeSet, renderSets, viewSet, viewSetDetails } from "../output/restricted-view.ts";
import { formatTime } from "../output/table.ts";

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
      text: sets.length === 0 ? "Nothing is restricted." : renderSets(sets),
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
    "this, when, and the reason if one is given. The last line is a signed manifest, for `sluice export verify`.",
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
