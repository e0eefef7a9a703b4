// `sluice subject show`

import {
  beginSubject,
  findKeys,
  readDeletionsOf,
  readHoldsOf,
  type SubjectDeletion,
} from "../../actions/record/read-subject.ts";
import type { Hold } from "../../domain/access.ts";
import { defineStoreCommand } from "../command.ts";
import { subjectArguments, subjectOptions } from "../input/subject.ts";
import { renderHolds, viewHold } from "../output/hold-view.ts";
import { describeCounts } from "../output/subject-view.ts";
import { renderTable } from "../output/table.ts";

/** Holds and deletion requests that are listed. */
const listedMax = 1_000;

export const subjectShow = defineStoreCommand({
  name: "subject show",
  summary:
    "Show how much is held on a person or a company, by type, and the requests to delete it.",
  details:
    "Counts what `subject export` would write. Confidential types and legal holds are left out unless an officer asks for " +
    "them. The audit trail records who used this, and when.",
  examples: ["sluice subject show person person-81 --organization acme"],
  rights: ["subject.show"],
  arguments: subjectArguments,
  options: subjectOptions,
  run: async (app, { type, id, organization, includeConfidential: confidential }) => {
    const key = { organizationId: organization, resourceType: type, resourceId: id };
    const request = { ...key, confidential };
    await beginSubject(app, "subject.show", request);
    const counts = new Map<string, number>();
    const holds: Hold[] = [];
    for await (const keys of findKeys(app, request)) {
      const name = keys[0]?.resourceType ?? "";
      counts.set(name, (counts.get(name) ?? 0) + keys.length);
      if (!confidential || holds.length >= listedMax) continue;
      holds.push(...(await readHoldsOf(app, keys)).slice(0, listedMax - holds.length));
    }
    const deletions: SubjectDeletion[] = [];
    for await (const page of readDeletionsOf(app, request)) {
      deletions.push(...page.slice(0, listedMax - deletions.length));
    }
    const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    return {
      json: {
        resource_type: type,
        resource_id: id,
        organization_id: organization,
        confidential,
        records: Object.fromEntries(sorted),
        deletion_requests: deletions,
        ...(confidential ? { holds: holds.map(viewHold) } : {}),
      },
      text: [
        describeCounts(sorted),
        ...(deletions.length === 0 ? [] : [`\nDeletion requests\n${describe(deletions)}`]),
        ...(holds.length === 0 ? [] : [`\nHolds\n${renderHolds(holds)}`]),
      ].join("\n"),
    };
  },
});

function describe(deletions: readonly SubjectDeletion[]): string {
  return renderTable(
    [
      { title: "id", cell: (one: SubjectDeletion) => one.deletion_request_id },
      { title: "status", cell: ({ status }) => status },
      { title: "requested", cell: ({ requested_at }) => requested_at },
      { title: "reason", cell: ({ reason }) => reason },
    ],
    deletions,
  );
}
