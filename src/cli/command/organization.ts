// `sluice organization show` and `set`.

import { countRecords, findOrganization } from "../../actions/access/find-organization.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { findDeletion } from "../../actions/record/find-named-record.ts";
import { listHolds } from "../../actions/retention/holds.ts";
import { hasRestrictedSets } from "../../actions/retention/restricted-sets.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { defineStoreCommand, flag } from "../command.ts";
import { confidentialOptions } from "../input/kinds.ts";
import {
  change,
  changeOptions,
  organizationArguments,
  organizations,
} from "../../noun/organization.ts";
import { renderTable } from "../output/table.ts";
import type { App } from "../../actions/app.ts";
import { previewRetention } from "../../actions/retention/preview-retention.ts";
import { requireFloorsWithin } from "../../actions/access/change-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { describePreview } from "../output/retention-view.ts";
import { listedHolds } from "../../noun/hold.ts";
import { sluice } from "../../basics/program-name.ts";

export const organizationShow = defineStoreCommand({
  name: "organization show",
  summary: "Show an organization, its number of records of each type, and its legal holds.",
  details:
    "Records of confidential types and holds on them are shown only with --include-confidential. So are the records left of a " +
    "closed organization, the progress of its deletion, which waits for confidential records too, and whether it has restricted " +
    "sets, which stay after the closing.",
  examples: ["sluice organization show acme"],
  rights: ["organization.read"],
  arguments: organizationArguments,
  options: confidentialOptions,
  run: async (opened, { id, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const organization = await findOrganization(app, id);
    const rows = Object.entries(await countRecords(app, id));
    const table = renderTable(
      [
        ["record type", ([type]: [string, number]) => type],
        ["records", ([, count]) => String(count), { right: true }],
      ],
      rows,
    );
    const { deletionRequestId } = organization;
    const deletion =
      includeConfidential && deletionRequestId && (await findDeletion(app, deletionRequestId));
    const query = { organizationId: id };
    const { shown } = await listHolds(app, query, { limit: holdsShown, examinedMax: Infinity });
    const holds = shown.map(({ hold }) => hold);
    const isRestricted = await hasRestrictedSets(app, id);
    const parts = [
      organizations.describe(organization),
      ...(deletion
        ? [
            `Its deletion is ${describeState(deletion)}: ${sluice} deletion show ${deletionRequestId} --include-confidential`,
          ]
        : []),
      rows.length === 0 ? describeNone(includeConfidential) : table,
      ...(isRestricted
        ? [`It has restricted sets: ${sluice} restricted list --organization ${id}`]
        : []),
      ...(holds.length === 0 ? [] : [listedHolds.table(holds)]),
      ...(holds.length < holdsShown
        ? []
        : [`All holds: ${sluice} deletion holds --organization ${id}`]),
    ];
    return {
      json: {
        ...organizations.json(organization),
        deletion_status: deletion ? deletion.status : null,
        ...(includeConfidential ? { has_restricted_sets: isRestricted } : {}),
        records: Object.fromEntries(rows),
        holds: holds.map((one) => listedHolds.json(one)),
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

const holdsShown = 100;

export const organizationSet = defineStoreCommand({
  name: "organization set",
  summary: "Change an organization. A running server applies the change within 2 seconds.",
  examples: [
    "sluice organization set acme --deletion-grace 24h",
    "sluice organization set acme --strict-scopes on --rate-limit 200",
    "sluice organization set acme --retain-days 1825 --yes",
    "sluice organization set acme --confidential-types transaction_alert,screening",
    "sluice organization set acme --deletion-approval on",
  ],
  rights: ["organization.change", "retention.set", "deletion.require_approval"],
  arguments: organizationArguments,
  options: {
    ...changeOptions,
    yes: flag(
      "Confirm the deletions that --retain-days makes due. Without this, the command only lists them.",
    ),
  },
  run: async (app, { yes, ...given }) => {
    if (!yes) await requireConfirmed(app, given.id, given.retainDays);
    const organization = await change(app, given);
    return {
      json: organizations.json(organization),
      text: organizations.describe(organization),
    };
  },
});

/** Deletions begin within a minute of the change, so the operator sees first what would be deleted. */
async function requireConfirmed(
  app: App,
  id: string,
  days: number | null | undefined,
): Promise<void> {
  if (days === undefined || days === null) return;
  const organization = await findOrganization(app, id);
  await requireFloorsWithin(app, id, days);
  const { retainDays: before = Number.POSITIVE_INFINITY } = organization;
  if (days >= before) return;
  const wanted = { ...organization, retainDays: days };
  const preview = await previewRetention(showing(app, { includeConfidential: false }), wanted);
  throw new OperatorError(
    "not_confirmed",
    `Nothing was changed. With --retain-days ${days}, a serving process would begin within a minute to permanently ` +
      `delete:\n${describePreview(preview)}\nConfidential records are deleted too, and not listed: see ` +
      `${sluice} retention preview --days N --include-confidential. Add --yes to confirm.`,
  );
}
