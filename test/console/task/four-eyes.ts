// Tasks of two people: what one of them asks for, the other one approves.

import assert from "node:assert/strict";
import { holdRecord } from "../../../src/actions/retention/holds.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { makeCustomer } from "../../support/customer.ts";
import type { Hands } from "../hands.ts";
import { awaitErased } from "../history.ts";
import { addPortfolio } from "../portfolio.ts";
import { findRecord } from "./records.ts";
import { lastPartOf, type Task } from "./task.ts";

export const fourEyesTasks: readonly Task[] = [
  {
    title: "erase a person with obstacles, under four eyes",
    most: [18, 23, 8],
    withoutScript: true,
    run: async ({ scene: { service, strict, takePerson }, as }) => {
      const { app } = service;
      const { organizationId } = strict;
      const person = takePerson(strict);
      const key = { organizationId, resourceType: "person", resourceId: person.id };
      const { holdId } = await holdRecord(app, key, { reason: "Court order 9" });
      const anna = await as("anna");
      await findRecord(anna, person, strict);
      await anna.press("Request its deletion");
      await anna.see("It needs the approval of a second person.");
      await anna.see("Court order 9");
      await anna.see(`Stays, with a pseudonym for the person: ${person.transactions}`);
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
      await awaitErased(service, id);
      await anna.open("Deletions");
      await anna.press("Completed");
      await anna.press(new RegExp(key.resourceId));
      await anna.see("The receipt is genuine");
    },
  },
  {
    title: "close an organization with a second person",
    most: [6, 8, 3],
    run: async ({ scene: { service }, as }) => {
      const { app, client } = service;
      const name = "Társaság a Dunántúli Kereskedelem Fejlesztéséért Zrt.";
      const { organizationId } = await makeCustomer(app, client, { name, deletionApproval: true });
      await addPortfolio(app, organizationId, 200);
      const ben = await as("ben");
      await ben.open("Organizations");
      await ben.press(new RegExp(organizationId));
      await ben.write("Reason, which stays in the receipt", "contract 17/24 has ended");
      const close = ben.within("Close");
      await close.write("Id of the organization", organizationId);
      await close.press("Close the organization");
      await ben.see("another person has to approve it");
      await approveProposal(await as("anna"), "closing", /its records \(234\) are erased for good/);
      await ben.see("approved by");
      const closed = await app.store.findOrganization(organizationId);
      await awaitErased(service, closed?.deletionRequestId ?? "");
    },
  },
  {
    title: "lower a floor with a second person",
    most: [7, 9, 4],
    run: async ({ scene: { service, strict }, as }) => {
      const { app } = service;
      const { organizationId } = strict;
      await setRule(app, { organizationId, resourceType: "screening", keepDays: 3_650 });
      const keepDays = async () =>
        (await app.store.retention.listRules([organizationId])).find(
          ({ resourceType }) => resourceType === "screening",
        )?.keepDays;
      const ben = await as("ben");
      await ben.open("Retention");
      await ben.press(new RegExp(organizationId));
      const rule = ben.within("Set or remove the rule of a type");
      await rule.choose("Record type", "Screening");
      await rule.write("Keep at least, in days", "30");
      await rule.press("Show what it would do");
      const planned = ben.within("Set this rule?");
      await planned.write("Id of the organization", organizationId);
      await planned.press("Set the rule");
      await ben.see("another person has to approve it");
      assert.equal(await keepDays(), 3_650);
      await approveProposal(
        await as("anna"),
        "retention rule: Screening",
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
