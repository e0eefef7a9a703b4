// `sluice retention set`

import { setFloor } from "../../actions/retention/retention-floors.ts";
import { defineStoreCommand, required, withDefault } from "../command.ts";
import { floorOrigin, keepDays, recordType, text } from "../input/kinds.ts";
import { describeRetention, viewRetention } from "../output/retention-view.ts";

export const retentionSet = defineStoreCommand({
  name: "retention set",
  summary: "Set how long the records of a type must be kept, or remove that rule.",
  details:
    "No deletion erases a record of this type before the time has passed: a deletion that would stays pending until then. " +
    "Counted from closing, the time begins when the account of a person or a company was closed; if it is open, with the " +
    "deletion request. The floor can't be longer than the organization's --retain-days.",
  examples: [
    "sluice retention set --organization acme --type transaction --keep-days 1825",
    "sluice retention set --organization acme --type person --keep-days 1825 --from closed",
    "sluice retention set --organization acme --type transaction --keep-days none",
  ],
  rights: ["retention.set"],
  options: {
    organization: required(text("ID"), "The organization."),
    type: required(recordType, "The type of the records."),
    keepDays: required(
      keepDays,
      "How many days of 24 hours its records must be kept; none removes the floor.",
    ),
    from: withDefault(
      floorOrigin,
      "What the days count from: the last timestamp of the record, or its closing.",
      "last_seen",
    ),
  },
  run: async (app, { organization, type, keepDays: days, from }) => {
    const retention = await setFloor(app, {
      organizationId: organization,
      resourceType: type,
      keepDays: days,
      countedFrom: from,
    });
    return { json: viewRetention(retention), text: describeRetention(retention) };
  },
});
