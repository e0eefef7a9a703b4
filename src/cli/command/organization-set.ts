// `sluice organization set`

import { changeOrganization } from "../../actions/change-organization.ts";
import type { OrganizationSettings } from "../../actions/change-organization.ts";
import { defineCommand, optional, required } from "../command.ts";
import { duration, onOff, rateLimit, retainDays, text } from "../kinds.ts";
import { describeOrganization, viewOrganization } from "../organization-view.ts";

export const organizationSet = defineCommand({
  name: "organization set",
  summary: "Change an organization. A running server applies the change within 2 seconds.",
  examples: [
    "sluice organization set acme --deletion-grace 24h",
    "sluice organization set acme --strict-scopes on --rate-limit 200",
    "sluice organization set acme --retain-days 1825",
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
      "Delete records that were last seen more than this many days ago, or off to keep them; see `retention preview`.",
    ),
  },
  run: (context, { id, ...given }) =>
    context.withApp(async (app) => {
      const organization = await changeOrganization(app, id, readChange(given));
      return { json: viewOrganization(organization), text: describeOrganization(organization) };
    }),
});

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
