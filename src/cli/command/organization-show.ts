// `sluice organization show`

import { findOrganization } from "../../actions/find-organization.ts";
import { defineCommand, required } from "../command.ts";
import { text } from "../kinds.ts";
import { describeOrganization, viewOrganization } from "../organization-view.ts";
import { renderTable } from "../table.ts";

export const organizationShow = defineCommand({
  name: "organization show",
  summary: "Show an organization and its number of records of each type.",
  examples: ["sluice organization show acme"],
  arguments: { id: required(text("ID"), "The organization.") },
  options: {},
  run: (context, { id }) =>
    context.withApp(async (app) => {
      const organization = await findOrganization(app, id);
      const counts = await app.store.countRecords(id);
      const rows = Object.entries(counts).filter(([, count]) => count > 0);
      const table = renderTable(
        [
          { title: "record type", cell: ([type]: [string, number]) => type },
          { title: "records", right: true, cell: ([, count]) => String(count) },
        ],
        rows,
      );
      return {
        json: { ...viewOrganization(organization), records: Object.fromEntries(rows) },
        text: `${describeOrganization(organization)}\n\n${rows.length === 0 ? "It has no records." : table}`,
      };
    }),
});
