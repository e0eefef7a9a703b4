// `sluice organization show`

import { countRecords, findOrganization } from "../../actions/access/find-organization.ts";
import { findDeletion } from "../../actions/record/find-named-record.ts";
import { listHolds } from "../../actions/retention/list-holds.ts";
import { showing } from "../../actions/operator/viewer.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { defineStoreCommand, required } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { renderHoldsOfRecords, viewHold } from "../output/hold-view.ts";
import { text } from "../input/kinds.ts";
import { describeOrganization, viewOrganization } from "../output/organization-view.ts";
import { renderTable } from "../output/table.ts";

export const organizationShow = defineStoreCommand({
  name: "organization show",
  summary: "Show an organization, its number of records of each type, and its legal holds.",
  details:
    "Records of confidential types and holds on them are shown only with --include-confidential, and so is what is left of a " +
    "closed organization, and how far its deletion is: it waits for confidential records too.",
  examples: ["sluice organization show acme"],
  rights: ["organization.read"],
  arguments: { id: required(text("ID"), "The organization.") },
  options: confidentialOptions,
  run: async (opened, { id, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const organization = await findOrganization(app, id);
    const rows = Object.entries(await countRecords(app, id));
    const table = renderTable(
      [
        { title: "record type", cell: ([type]: [string, number]) => type },
        { title: "records", right: true, cell: ([, count]) => String(count) },
      ],
      rows,
    );
    const { deletionRequestId } = organization;
    const deletion =
      includeConfidential && deletionRequestId && (await findDeletion(app, deletionRequestId));
    const query = { organizationId: id };
    const { shown } = await listHolds(app, query, { limit: holdsShown, examinedMax: Infinity });
    const holds = shown.map(({ hold }) => hold);
    const parts = [
      describeOrganization(organization),
      ...(deletion
        ? [
            `Its deletion is ${describeState(deletion)}: sluice deletion show ${deletionRequestId} --include-confidential`,
          ]
        : []),
      rows.length === 0 ? describeNone(includeConfidential) : table,
      ...(holds.length === 0 ? [] : [renderHoldsOfRecords(holds)]),
      ...(holds.length < holdsShown
        ? []
        : [`All holds: sluice deletion holds --organization ${id}`]),
    ];
    return {
      json: {
        ...viewOrganization(organization),
        deletion_status: deletion ? deletion.status : null,
        records: Object.fromEntries(rows),
        holds: holds.map(viewHold),
      },
      text: parts.join("\n\n"),
    };
  },
});

function describeNone(isComplete: boolean): string {
  return isComplete
    ? "It has no records."
    : "It has no records that are shown without --include-confidential.";
}

function describeState({ status, waitingFor }: Deletion): string {
  return waitingFor === undefined ? status : `${status}, waiting for ${waitingFor}`;
}

/** `deletion holds` lists all. */
const holdsShown = 100;
