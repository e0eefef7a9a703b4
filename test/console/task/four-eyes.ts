// Tasks of two people: what one of them asks for, the other one approves.

import assert from "node:assert/strict";
import { holdRecord } from "../../../src/actions/retention/holds.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { makeCustomer } from "../../support/customer.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Hands } from "../hands.ts";
import { addNamingTo, addPersonOf } from "../scene.ts";
import { findRecord } from "./records.ts";
import type { Task } from "./task.ts";

export const fourEyesTasks: readonly Task[] = [
  {
    title: "erase a person with obstacles, under four eyes",
    also: "no script",
    run: async ({ scene: { service }, mark, as }) => {
      const { app, client } = service;
      const organizationId = `held-${mark}`;
      const key = { organizationId, resourceType: "person", resourceId: `person-four-${mark}` };
      const { token } = await makeCustomer(app, client, { organizationId, deletionApproval: true });
      await addPersonOf(service, token, { id: key.resourceId });
      await addNamingTo(service, token, key.resourceId);
      const { holdId } = await holdRecord(app, key, { reason: "Court order 9" });
      const anna = await as("anna");
      await findRecord(anna, key.resourceId, key);
      await anna.press("Request its deletion");
      await anna.see("It needs the approval of a second person.");
      await anna.see("Court order 9");
      await anna.see("Stays, with a pseudonym for the person: 1");
      await anna.write("Reason", "asked by the customer");
      await anna.write("Id of the record", key.resourceId);
      await anna.press("Request the deletion");
      await anna.see("another person has to approve it");
      const id = lastPartOf(anna);
      const ben = await as("ben");
      await ben.open("Deletions");
      await ben.press(/^Needs my approval/);
      await ben.press(new RegExp(key.resourceId));
      await ben.see("Court order 9");
      await ben.write("Id of the deletion", id);
      await ben.press("Approve the deletion");
      await ben.see(/approved by/);
      await ben.see("Court order 9");
      assert.equal((await app.store.findDeletion(id, undefined))?.status, "pending");
      await ben.open("Holds");
      await ben.press(new RegExp(holdId));
      await ben.write("Id of the hold", holdId);
      await ben.press("Release the hold");
      await ben.see("another person has to approve it");
      assert.ok((await app.store.holds.find(holdId)) !== undefined);
      await approveProposal(
        await as("anna"),
        "release of a hold",
        `The hold on Person ${key.resourceId} ends`,
      );
      await waitFor("the deletion", async () => {
        const deletion = await app.store.findDeletion(id, undefined);
        return deletion?.status === "completed";
      });
      await anna.open("Deletions");
      await anna.press("Completed");
      await anna.press(new RegExp(key.resourceId));
      await anna.see("The receipt is genuine");
    },
  },
  {
    title: "lower a floor with a second person",
    run: async ({ scene: { service }, mark, as }) => {
      const { app, client } = service;
      const organizationId = `kept-${mark}`;
      await makeCustomer(app, client, { organizationId, deletionApproval: true });
      await setRule(app, { organizationId, resourceType: "company", keepDays: 3_650 });
      const keepDays = async () =>
        (await app.store.retention.listRules([organizationId]))[0]?.keepDays;
      const ben = await as("ben");
      await ben.open("Retention");
      await ben.press(new RegExp(organizationId));
      const rule = ben.within("Set or remove the rule of a type");
      await rule.choose("Record type", "Company");
      await rule.write("Keep at least, in days", "30");
      await rule.press("Show what it would do");
      const planned = ben.within("Set this rule?");
      await planned.write("Id of the organization", organizationId);
      await planned.press("Set the rule");
      await ben.see("another person has to approve it");
      assert.equal(await keepDays(), 3_650);
      await approveProposal(
        await as("anna"),
        "retention rule: Company",
        /must be kept for 30 days/,
      );
      // The page of the person who proposed it is still open, and follows.
      await ben.see("approved by");
      assert.equal(await keepDays(), 30);
    },
  },
];

/** Approves the newest proposal of an act, once its page says what it would do. */
async function approveProposal(hands: Hands, act: string, effect: string | RegExp): Promise<void> {
  await hands.open("Proposals");
  await hands.press(act);
  await hands.see(effect);
  await hands.write("Id of the proposal", lastPartOf(hands));
  await hands.press("Approve the proposal");
  await hands.see("approved");
}

function lastPartOf({ page }: Hands): string {
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}
