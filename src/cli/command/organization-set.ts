// `sluice organization set`

import type { App } from "../../actions/app.ts";
import { previewRetention } from "../../actions/retention/preview-retention.ts";
import {
  changeOrganization,
  requireFloorsWithin,
} from "../../actions/access/change-organization.ts";
import { findOrganization } from "../../actions/access/find-organization.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { defineStoreCommand, flag, optional, required } from "../command.ts";
import { duration, onOff, rateLimit, retainDays, text, typeList } from "../input/kinds.ts";
import { describeOrganization, viewOrganization } from "../output/organization-view.ts";
import { describePreview } from "../output/retention-view.ts";

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
  arguments: { id: required(text("ID"), "The organization.") },
  options: {
    name: optional(text("NAME"), "A new name."),
    strictScopes: optional(
      onOff,
      "With on, transactions:write covers reading and writing transactions only.",
    ),
    deletionGrace: optional(
      duration,
      "How long a deletion waits before it is processed, such as 24h; 0s for no wait.",
    ),
    rateLimit: optional(
      rateLimit,
      "Requests per second, 0 for no limit, or default for the setting of the server.",
    ),
    retainDays: optional(
      retainDays,
      "Delete records that were last seen more than this many days ago, or off to keep them; a shorter time needs --yes.",
    ),
    confidentialTypes: optional(
      typeList,
      "Record types that are confidential besides reports, such as transaction_alert, or none. Callers without the read scope of such a type see nothing of it.",
    ),
    eraseOrphans: optional(
      onOff,
      "With on, a transaction is deleted once every person and company that it names is erased.",
    ),
    deletionApproval: optional(
      onOff,
      "With on, a deletion that is requested from now on is processed only after a second person has approved it. Acts that would remove this protection then need a second person, too.",
    ),
    yes: flag(
      "Confirm the deletions that --retain-days makes due. Without this, the command only lists them.",
    ),
  },
  run: async (app, { id, yes, name, strictScopes, deletionGrace, ...given }) => {
    if (!yes) await requireConfirmed(app, id, given.retainDays);
    const organization = await changeOrganization(app, id, {
      ...(name === undefined ? {} : { name }),
      ...(strictScopes === undefined ? {} : { strictScopes }),
      ...(deletionGrace === undefined ? {} : { deletionGraceSeconds: deletionGrace / 1_000 }),
      ...(given.rateLimit === undefined ? {} : { rateLimitPerSecond: given.rateLimit }),
      ...(given.retainDays === undefined ? {} : { retainDays: given.retainDays }),
      ...(given.confidentialTypes === undefined
        ? {}
        : { confidentialTypes: given.confidentialTypes }),
      ...(given.eraseOrphans === undefined
        ? {}
        : { eraseOrphanedTransactions: given.eraseOrphans }),
      ...(given.deletionApproval === undefined ? {} : { deletionApproval: given.deletionApproval }),
    });
    return { json: viewOrganization(organization), text: describeOrganization(organization) };
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
      "sluice retention preview --days N --include-confidential. Add --yes to confirm.",
  );
}
