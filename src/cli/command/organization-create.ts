// `sluice organization create`

import { createOrganization } from "../../actions/access/create-organization.ts";
import { defineCommand, optional, required } from "../command.ts";
import { onOff, text } from "../input/kinds.ts";
import { findMissingStore } from "../new-store.ts";
import { describeOrganization } from "../output/organization-view.ts";

export const organizationCreate = defineCommand({
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
  run: (context, { name, id, deletionApproval }) => {
    const missing = findMissingStore(context);
    return context.withApp(
      async (app) => {
        const organization = await createOrganization(app, {
          name,
          organizationId: id,
          deletionApproval,
        });
        const { organizationId } = organization;
        const created = missing === undefined ? "" : `Created the store ${missing}.\n\n`;
        return {
          json: { organization_id: organizationId, organization_name: organization.name },
          text:
            `${created}${describeOrganization(organization)}\n\n` +
            `Next, create a key for it: sluice key create --organization ${organizationId}`,
        };
      },
      { create: true },
    );
  },
});
