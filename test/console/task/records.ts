// Tasks about records: finding, holding, reading and deleting them, and how long they are kept.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Hands } from "../hands.ts";
import { addNamingTo, known } from "../scene.ts";
import type { Task } from "./task.ts";

export const recordTasks: readonly Task[] = [
  {
    title: "find a record and place a hold",
    run: async ({ scene, mark, as }) => {
      const id = `person-to-hold-${mark}`;
      await scene.addPerson(id);
      const hands = await as("ben");
      await findRecord(hands, id, scene.acme);
      await hands.see("There is no hold on it");
      await hands.press("Place a hold");
      await hands.write("Reason", "Court order 7");
      await hands.write("Owner, such as a person or a department", "Legal");
      await hands.press("Place the hold");
      await hands.see("Court order 7");
      const holds = await scene.service.app.store.holds.ofRecords([
        { ...scene.acme, resourceType: "person", resourceId: id },
      ]);
      assert.equal(holds.length, 1);
    },
  },
  {
    title: "reveal the content of a record with a reason",
    run: async ({ scene: { acme }, as }) => {
      const { id, name } = known.first;
      const hands = await as("ben");
      await findRecord(hands, id, acme);
      assert.equal(await hands.page.getByText(name).count(), 0);
      await hands.write("Reason for reading the content", "complaint 81");
      await hands.press("Show the content");
      await hands.see(name);
      await hands.page.reload();
      await hands.see("The content is hidden again");
      assert.equal(await hands.page.getByText(name).count(), 0);
    },
  },
  {
    title: "find a person by a name, and answer an authority",
    run: async ({ scene, mark, as }) => {
      await scene.addPerson(`person-asked-${mark}`, { name: `Ada ${mark} Example` });
      const hands = await as("ben");
      await hands.open("Find");
      await hands.press("Find a person or a company");
      const search = hands.within("Search");
      await search.write("Organization", scene.acme.organizationId);
      await search.write("Name", `Ada ${mark} Example`);
      await search.write("Reason of the search", "Inquiry 17/26");
      await search.press("Search");
      await hands.see("Name: exact, name");
      await hands.press(`Answer about person-asked-${mark}`);
      await hands.see("A business relationship exists.");
      await hands.see("Reason: Inquiry 17/26");
    },
  },
  {
    title: "request a deletion",
    run: async ({ scene, mark, as }) => {
      const id = `person-to-delete-${mark}`;
      await scene.addPerson(id);
      const hands = await as("ben");
      await findRecord(hands, id, scene.acme);
      await hands.press("Request its deletion");
      await hands.see("Erased: 1");
      await hands.write("Reason", "asked by the customer");
      await hands.write("Id of the record", id);
      await hands.press("Request the deletion");
      await hands.see("its grace period");
    },
  },
  {
    title: "answer an access request, with its deadline and a copy",
    run: async ({ scene, mark, as }) => {
      const id = `person-asks-${mark}`;
      await scene.addPerson(id, { name: "Ada Example" });
      await addNamingTo(scene.service, scene.acme.token, id);
      const hands = await as("ben");
      await hands.open("Access requests");
      await hands.write("Organization", "nobody");
      await hands.choose("Type", "Person");
      await hands.write("Id", id);
      await hands.press("Show what is stored");
      await hands.see('There is no organization "nobody".');
      assert.equal(await hands.page.getByLabel("Id", { exact: true }).inputValue(), id);
      await hands.write("Organization", scene.acme.organizationId);
      await hands.press("Show what is stored");
      await hands.see("one month, Article 12(3)");
      await hands.see("What is stored");
      await hands.page.getByRole("row", { name: "Transaction 1", exact: true }).waitFor();
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the copy");
      const path = await (await downloading).path();
      assert.match(await readFile(path, "utf8"), /"name":"Ada Example"/);
      await hands.press("see what it would erase, and everything that prevents it");
      await hands.see("It begins after 1 day, and can be cancelled until then.");
      await hands.see("Stays, with a pseudonym for the person: 1");
    },
  },
  {
    title: "set a floor, and see what retention would delete",
    run: async ({ scene: { acme }, as }) => {
      const hands = await as("ben");
      await hands.open("Retention");
      await hands.press(new RegExp(acme.organizationId));
      const rule = hands.within("Set or remove the rule of a type");
      await rule.choose("Record type", "Company");
      await rule.write("Keep at least, in days", "3650");
      await rule.press("Show what it would do");
      const planned = hands.within("Set this rule?");
      await planned.write("Id of the organization", acme.organizationId);
      await planned.press("Set the rule");
      await hands.see("3,650 days");
      await hands.write("With this ceiling for other types, in days", "30");
      await hands.press("Preview");
      await hands.see("Kept by a floor");
    },
  },
];

/** Leaves the page of this person open. */
export async function findRecord(
  hands: Hands,
  id: string,
  { organizationId }: { readonly organizationId: string },
): Promise<void> {
  await hands.open("Find");
  await hands.write("Organization", organizationId);
  await hands.choose("Record type", "Person");
  await hands.write("Id of the record", id);
  await hands.press("Find");
  await hands.press(id);
}
