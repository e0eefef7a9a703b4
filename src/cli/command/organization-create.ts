// `sluice organization create`

import { createOrganization } from "../../actions/create-organization.ts";
import { defineCommand, optional, required } from "../command.ts";
import { text } from "../kinds.ts";
import { describeOrganization } from "../organization-view.ts";

export const organizationCreate = defineCommand({
  name: "organization create",
  summary: "Make an organization.",
  examples: ['sluice organization create --name "Acme Payments" --id acme'],
  arguments: {},
  options: {
    name: required(text("NAME"), "Name of the organization, as its tokens show it."),
    id: optional(
      text("ID"),
      'Id of 1 to 64 letters, digits, "_", "." or "-", the last two not first; made up if left out.',
    ),
  },
  run: (context, { name, id }) =>
    context.withApp(async (app) => {
      const organization = await createOrganization(app, { name, organizationId: id });
      const { organizationId } = organization;
      return {
        json: { organization_id: organizationId, organization_name: organization.name },
        text:
          `${describeOrganization(organization)}\n\n` +
          `Next, a key for it: sluice key create --organization ${organizationId}`,
      };
    }),
});
