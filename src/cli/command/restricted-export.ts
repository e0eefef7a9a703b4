// `sluice restricted export`

import { exportRestrictedSet } from "../../actions/retention/restricted-sets.ts";
import { openSink } from "../../bulk/export/sink.ts";
import { defineStoreCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { restrictedOptions } from "../input/restricted.ts";
import { formatTime } from "../output/table.ts";

export const restrictedExport = defineStoreCommand({
  name: "restricted export",
  summary: "Print every change of every record of a restricted set, as NDJSON.",
  details:
    "A line for each change: the type and id of its record, when it was received, and its payload. The audit trail records who used " +
    "this, when, and the reason if one is given.",
  examples: [
    'sluice restricted export del_4fQ2mN8sT1vXc7Za --organization acme --reason "court order 12/2026" > set.ndjson',
  ],
  rights: ["restricted.export"],
  arguments: {
    id: required(text("DELETION_REQUEST_ID"), "The deletion request that moved the records."),
  },
  options: restrictedOptions,
  run: async (app, { id, organization, reason }, { out }) => {
    const sink = openSink(out, undefined);
    const access = { organizationId: organization, reason };
    for await (const page of exportRestrictedSet(app, access, id)) {
      for (const { resourceType, resourceId, receivedAt, payload } of page) {
        const line = {
          resource_type: resourceType,
          resource_id: resourceId,
          received_at: formatTime(receivedAt),
          payload,
        };
        await sink.write(`${JSON.stringify(line)}\n`);
      }
    }
    await sink.finish();
    return undefined;
  },
});
