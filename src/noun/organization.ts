// Organizations: their values on the command line and on pages, the commands that list and create them, and the forms
// that change and close one, with the options that the commands in src/cli/command/organization.ts have too.

import type { App } from "../actions/app.ts";
import { changeOrganization } from "../actions/access/change-organization.ts";
import { closeOrganization } from "../actions/access/close-organization.ts";
import { createOrganization } from "../actions/access/create-organization.ts";
import { listOrganizations } from "../actions/access/find-organization.ts";
import { formatDuration } from "../basics/duration.ts";
import { optional, required, type Values, withDefault } from "../cli/command.ts";
import {
  duration,
  onOff,
  rateLimit,
  reason as reasonText,
  retainDays,
  text,
  typeList,
} from "../cli/input/kinds.ts";
import { formatTime } from "../cli/output/table.ts";
import { renderChip } from "../console/html/chip.ts";
import type { Html } from "../console/html/html.ts";
import { pathTo } from "../console/html/link.ts";
import { formatExactDuration } from "../console/html/time.ts";
import type { Organization } from "../domain/access.ts";
import { confidentialTypes } from "../domain/confidentiality.ts";
import { limits } from "../domain/limits.ts";
import { titleOf } from "../domain/record-types.ts";
import { formatDays } from "../domain/retention/floor.ts";
import { defineAct, defineForm, defineList } from "./act.ts";
import { defineNoun, idValue } from "./noun.ts";
import { sluice } from "../basics/program-name.ts";

const screen = "/console/organizations";

export const organizations = defineNoun<Organization, void>({
  values: {
    organizationId: idValue("organization", "organizationId", ({ name }) => name),
    state: { html: renderOrganizationState },
    strictScopes: { text: ({ strictScopes: isOn }) => formatOnOff(isOn) },
    deletionGraceSeconds: {
      text: ({ deletionGraceSeconds: seconds }) => formatDuration(seconds * 1_000),
      html: ({ deletionGraceSeconds: seconds }) => formatExactDuration(seconds * 1_000),
    },
    rateLimitPerSecond: {
      text: (organization) => formatRateLimit(organization, "default", "/s"),
      html: (organization) =>
        formatRateLimit(organization, "that of the server", " requests a second"),
      kind: "text",
    },
    retainDays: {
      text: ({ retainDays: days }) => (days === undefined ? "none" : formatDays(days)),
      kind: "text",
    },
    confidentialTypes: {
      json: (organization) => confidentialIn(organization),
      text: (organization) => confidentialIn(organization).join(", "),
      html: (organization) => confidentialIn(organization).map(titleOf).join(", "),
    },
    deletionApproval: {
      json: ({ deletionApproval: isOn }) => isOn === true,
      text: ({ deletionApproval: isOn }) => formatOnOff(isOn),
      html: ({ deletionApproval: isOn }) => (isOn === true ? "by a second person" : "not needed"),
      kind: "text",
    },
    closedAt: { text: formatClosed },
  },
  json:
    "organizationId, name: organization_name, strictScopes, deletionGraceSeconds, rateLimitPerSecond, retainDays, " +
    "confidentialTypes, deletionApproval, createdAt, closedAt, deletionRequestId",
  columns:
    "organizationId, name, strictScopes, deletionGraceSeconds: deletion grace, rateLimitPerSecond: rate limit, createdAt, " +
    "closedAt",
  fields:
    "organizationId, name, strictScopes, deletionGraceSeconds: deletion grace, rateLimitPerSecond: rate limit, " +
    "retainDays: ceiling of types without their own, confidentialTypes: confidential, deletionApproval, createdAt, " +
    "closedAt",
  headings:
    "organizationId: Organization, state, deletionGraceSeconds: Grace period, deletionApproval: Approval of deletions, " +
    "retainDays: Ceiling of types without their own, rateLimitPerSecond: Rate limit",
  facts:
    "retainDays: Ceiling of types without their own, deletionGraceSeconds: Grace period of deletions, " +
    "deletionApproval: Approval of deletions, rateLimitPerSecond: Rate limit, strictScopes, confidentialTypes, createdAt",
});

function confidentialIn(organization: Organization): readonly string[] {
  return [...confidentialTypes(organization.confidentialTypes)];
}

function formatOnOff(isOn: boolean | undefined): string {
  return isOn === true ? "on" : "off";
}

function formatRateLimit(
  { rateLimitPerSecond: rate }: Organization,
  server: string,
  unit: string,
): string {
  if (rate === undefined) return server;
  return rate === 0 ? "none" : `${rate}${unit}`;
}

/** A closed organization without a deletion is one whose closing was interrupted. */
function formatClosed({ closedAt, deletionRequestId }: Organization): string {
  if (closedAt === undefined) return "-";
  const deletion =
    deletionRequestId ??
    "nothing is deleted yet: run organization close again, with --export to export its records";
  return `${formatTime(closedAt)} (${deletion})`;
}

export function renderOrganizationState({ closedAt }: Organization): Html {
  return closedAt === undefined ? renderChip("good", "open") : renderChip("over", "closed");
}

export const organizationList = defineList({
  name: "organization list",
  plural: "organizations",
  summary: "List all organizations.",
  examples: ["sluice organization list"],
  rights: ["organization.read"],
  restoring: true,
  rows: organizations,
  find: listOrganizations,
  none: `There is no organization yet. Create one with: ${sluice} organization create --name NAME`,
});

export const organizationCreate = defineAct({
  name: "organization create",
  summary: "Create an organization.",
  details: "Also creates the store if there is none, and says where.",
  examples: ['sluice organization create --name "Acme Payments" --id acme'],
  rights: ["organization.create"],
  options: {
    name: required(text("NAME"), "Name of the organization; replies to token requests show it."),
    id: optional(
      text("ID"),
      'Id of 1 to 64 letters, digits, "_", "." or "-"; it must not begin with "." or "-". Default: a random id.',
    ),
    deletionApproval: optional(
      onOff,
      "With on, a deletion is processed only after a second person has approved it.",
    ),
  },
  create: true,
  act: (app, { id: organizationId, ...given }) =>
    createOrganization(app, { organizationId, ...given }),
  json: ({ organizationId, name }) => ({
    organization_id: organizationId,
    organization_name: name,
  }),
  said: (organization) =>
    `${organizations.describe(organization)}\n\n` +
    `Next, create a key for it: ${sluice} key create --organization ${organization.organizationId}`,
  form: {
    path: screen,
    heading: "Create an organization",
    fields: {
      name: { label: "Name", maxlength: 200, required: true },
      id: {
        label: "Id, which can't be changed; random if it is empty",
        maxlength: 64,
        autocomplete: "off",
      },
      deletionApproval: {
        label: "Deletions need the approval of a second person",
      },
    },
    folded: true,
    next: ({ organizationId }) => pathTo("organization", organizationId),
  },
});

export const organizationArguments = { id: required(text("ID"), "The organization.") };

export const changeOptions = {
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
  deletionApproval: optional(
    onOff,
    "With on, a deletion that is requested from now on is processed only after a second person has approved it. Acts that would remove this protection then need a second person, too.",
  ),
};

type Change = Values<typeof organizationArguments> & Values<typeof changeOptions>;

export function change(
  app: App,
  { id, deletionGrace: graceMs, rateLimit: rate, ...others }: Change,
): Promise<Organization> {
  const given = {
    ...others,
    deletionGraceSeconds: graceMs === undefined ? undefined : Math.floor(graceMs / 1_000),
    rateLimitPerSecond: rate,
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return changeOrganization(app, id, Object.fromEntries(known));
}

export const settingsForm = defineForm({
  rights: ["organization.change"],
  arguments: organizationArguments,
  options: changeOptions,
  act: change,
  form: {
    path: "/console/organization/:id",
    heading: "Settings",
    folded: true,
    fields: {
      name: { label: "Name", maxlength: 200, required: true },
      deletionGrace: {
        label: "Grace period of deletions, such as 24h",
        required: true,
      },
      rateLimit: {
        label: "Requests a second; 0 for no limit, empty for the limit of the server",
        inputmode: "numeric",
        empty: "default",
      },
      strictScopes: {
        label: "Strict scopes: transactions:write covers transactions only",
      },
    },
    button: "Save",
  },
});

export const approvalForm = defineForm({
  rights: ["deletion.require_approval"],
  arguments: organizationArguments,
  options: { ...changeOptions, deletionApproval: withDefault(onOff, "As on or off.", "off") },
  act: change,
  form: {
    path: "/console/organization/approval/:id",
    heading: "Approval of deletions",
    folded: true,
    text:
      "With on, a deletion that is requested from now on is processed only after another person with the role officer has " +
      "approved it. Deletions that wait already need the approval even after it is turned off. A second person is then " +
      "needed as well to turn it off, to lower a floor, to set or lower a ceiling, to release a hold and to close the " +
      "organization.",
    fields: { deletionApproval: { label: "Approval by a second person" } },
    button: "Save",
  },
});

export const closeForm = defineForm({
  rights: ["organization.close"],
  arguments: organizationArguments,
  options: { reason: optional(reasonText, "The reason, which stays in the receipt.") },
  act: (app, { id: organizationId, reason = "the organization was closed" }) =>
    closeOrganization(app, { organizationId, reason }),
  form: {
    path: "/console/organization/close/:id",
    heading: "Close",
    confirm: "organization",
    fields: {
      reason: {
        label: "Reason, which stays in the receipt",
        maxlength: limits.reasonCharactersMax,
        required: true,
      },
    },
  },
});
