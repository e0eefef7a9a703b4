// `sluice retention show`

import { readRetention } from "../../actions/retention/retention-floors.ts";
import { defineStoreCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { describeRetention, viewRetention } from "../output/retention-view.ts";

export const retentionShow = defineStoreCommand({
  name: "retention show",
  summary:
    "Show how long an organization keeps its records: the ceiling, and the floor of each type.",
  examples: ["sluice retention show --organization acme"],
  rights: ["retention.read"],
  options: { organization: required(text("ID"), "The organization.") },
  run: async (app, { organization }) => {
    const retention = await readRetention(app, organization);
    return { json: viewRetention(retention), text: describeRetention(retention) };
  },
});
