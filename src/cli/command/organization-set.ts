// `sluice organization set`

import type { App } from "../../actions/app.ts";
import { previewRetention } from "../../actions/apply-retention.ts";
import { changeOrganization } from "../../actions/change-organization.ts";
import type { OrganizationSettings } from "../../actions/change-organization.ts";
import { findOrganization } from "../../actions/find-organization.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { defineCommand, flag, optional, required } from "../command.ts";
import { duration, onOff, rateLimit, retainDays, text } from "../input/kinds.ts";
import { describeOrganization, viewOrganization } from "../output/organization-view.ts";
import { describePreview } from "../output/retention-view.ts";

export const organizationSet = defineCommand({
  name: "organization set",
  summary: "Change an organization. A running server applies the change within 2 seconds.",
  examples: [
    "sluice organization set acme --deletion-grace 24h",
    "sluice organization set acme --strict-scopes on --rate-limit 200",
    "sluice organization set acme --retain-days 1825 --yes",
  ],
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
    yes: flag(
      "Start deleting what --retain-days makes due. Without it, the command only says what that would be.",
    ),
  },
  run: (context, { id, yes, ...given }) =>
    context.withApp(async (app) => {
      if (!yes) await refuseUnconfirmed(app, id, given.retainDays);
      const organization = await changeOrganization(app, id, readChange(given));
      return { json: viewOrganization(organization), text: describeOrganization(organization) };
    }),
});

/** Records are deleted within a minute after it is set; so what that means is said first. */
async function refuseUnconfirmed(
  app: App,
  id: string,
  days: number | null | undefined,
): Promise<void> {
  if (days === undefined || days === null) return;
  const organization = await findOrganization(app, id);
  const { retainDays: before = Number.POSITIVE_INFINITY } = organization;
  if (days >= before) return;
  const preview = await previewRetention(app, { ...organization, retainDays: days });
  throw new OperatorError(
    "not_confirmed",
    `Nothing was changed. With --retain-days ${days} a serving process would begin within a minute to delete ` +
      `permanently:\n${describePreview(preview)}\nGive --yes to set it.`,
  );
}

interface Given {
  readonly name: string | undefined;
  readonly strictScopes: boolean | undefined;
  readonly deletionGrace: number | undefined;
  readonly rateLimit: number | null | undefined;
  readonly retainDays: number | null | undefined;
}

function readChange({
  name,
  strictScopes,
  deletionGrace,
  rateLimit: limit,
  retainDays: days,
}: Given): OrganizationSettings {
  return {
    ...(name === undefined ? {} : { name }),
    ...(strictScopes === undefined ? {} : { strictScopes }),
    ...(deletionGrace === undefined ? {} : { deletionGraceSeconds: deletionGrace / 1_000 }),
    ...(limit === undefined ? {} : { rateLimitPerSecond: limit }),
    ...(days === undefined ? {} : { retainDays: days }),
  };
}
