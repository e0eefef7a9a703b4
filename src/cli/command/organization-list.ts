// `sluice organization list`

import { listOrganizations } from "../../actions/access/find-organization.ts";
import type { Organization } from "../../domain/access.ts";
import { defineStoreCommand } from "../command.ts";
import { formatDuration } from "../../basics/duration.ts";
import {
  formatClosed,
  formatOnOff,
  formatRateLimit,
  viewOrganization,
} from "../output/organization-view.ts";
import { type Column, formatTime, renderTable } from "../output/table.ts";

const columns: readonly Column<Organization>[] = [
  { title: "organization", cell: ({ organizationId }) => organizationId },
  { title: "name", cell: ({ name }) => name },
  { title: "strict scopes", cell: ({ strictScopes }) => formatOnOff(strictScopes) },
  {
    title: "deletion grace",
    cell: ({ deletionGraceSeconds }) => formatDuration(deletionGraceSeconds * 1_000),
  },
  { title: "rate limit", cell: formatRateLimit },
  { title: "created", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "closed", cell: formatClosed },
];

export const organizationList = defineStoreCommand({
  name: "organization list",
  summary: "List all organizations.",
  examples: ["sluice organization list"],
  rights: ["organization.read"],
  restoring: true,
  run: async (app) => {
    const organizations = await listOrganizations(app);
    return {
      json: { organizations: organizations.map(viewOrganization) },
      text:
        organizations.length === 0
          ? "There is no organization yet. Create one with: sluice organization create --name NAME"
          : renderTable(columns, organizations),
    };
  },
});
