// Tasks about organizations and their keys.

import assert from "node:assert/strict";
import { createKey } from "../../../src/actions/access/keys.ts";
import { fetchToken } from "../../support/customer.ts";
import type { Task } from "./task.ts";

export const organizationTasks: readonly Task[] = [
  {
    title: "choose the organization to work in, and keep it",
    run: async ({ scene: { acme }, as }) => {
      const hands = await as("ben");
      await hands.open("Organizations");
      await hands.write("Part of the id or of the name", "abwicklungs");
      await hands.press("Search");
      await hands.press(`Choose ${acme.organizationId}`);
      await hands.open("Deletions");
      assert.equal(
        await hands.page.getByLabel("Organization", { exact: true }).inputValue(),
        acme.organizationId,
      );
      await hands.open("Organizations");
      await hands.press("Show all organizations");
      await hands.open("Deletions");
      assert.equal(await hands.page.getByLabel("Organization", { exact: true }).inputValue(), "");
    },
  },
  {
    title: "create an organization, and a key for it",
    run: async ({ scene: { service }, mark, as }) => {
      const organizationId = `bank-${mark}`;
      const hands = await as("anna");
      await hands.open("Organizations");
      await hands.press("Create an organization");
      await hands.write("Name", `Bank of ${mark}`);
      await hands.write("Id, which can't be changed; random if it is empty", organizationId);
      await hands.press("Create the organization");
      await hands.press("Create a key");
      await hands.write("Name, which says what it is for", "feed");
      await hands.mark("transactions:write");
      await hands.press("Create the key");
      await hands.see("This is the only time that the secret is shown");
      const apiKey = (await hands.page.locator("pre code").textContent()) ?? "";
      const scopes = ["transactions:write"];
      assert.ok(await fetchToken(service.client, { organizationId, apiKey }, { scopes }));
    },
  },
  {
    title: "rotate a key, with an overlap",
    run: async ({ scene: { service, acme }, mark, as }) => {
      const { organizationId } = acme;
      const scopes = ["transactions:write"] as const;
      const name = `feed ${mark}`;
      const old = await createKey(service.app, { organizationId, name, scopes });
      const hands = await as("anna");
      await hands.open("Organizations");
      await hands.press(new RegExp(organizationId));
      await hands.press(new RegExp(old.key.keyId));
      await hands.write("Overlap; 0s ends the old key at once", "1h");
      await hands.press("Rotate the key");
      await hands.see("This is the only time that the secret is shown");
      const secret = (await hands.page.locator("pre code").textContent()) ?? "";
      assert.notEqual(secret, old.secret);
      for (const apiKey of [secret, old.secret]) {
        assert.ok(await fetchToken(service.client, { organizationId, apiKey }, { scopes }));
      }
    },
  },
];
