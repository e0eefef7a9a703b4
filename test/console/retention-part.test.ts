// Retention where a page reads only a part of the records: it says so, and which command reads all of them.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { addTransaction } from "../cli/write-transactions.ts";
import { signInPeople } from "./people.ts";

const site = signInPeople(
  { ofelia: ["officer"] },
  {
    prepare: async ({ app, clock }) => {
      await createOrganization(app, { name: "Acme", organizationId: "acme" });
      const ids = Array.from({ length: 1_200 }, (_, no) => `t${no}`);
      await Promise.all(ids.map((id) => addTransaction(app, "acme", { tx_id: id })));
      clock.advanceMs(3 * 86_400_000);
    },
  },
);

it("names the command that examines all, before a rule is set and for the preview", async () => {
  const rule = "rule=transaction&keep=&delete=1&from=&references=";
  for (const [query, command] of [
    [rule, "retention set --dry-run"],
    ["days=1", "retention preview"],
  ] as const) {
    const { text } = await site.show("ofelia", `retention?organization=acme&${query}`);
    assert.match(text, /othing is known about the rest/);
    assert.ok(text.includes(`${command}</code> examines all of them`), command);
  }
});
