// Tasks about records: finding, holding, reading and deleting them, and how long they are kept.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import type { Customer } from "../../support/customer.ts";
import type { Hands } from "../hands.ts";
import type { Party } from "../portfolio.ts";
import { present } from "../scene.ts";
import type { Task } from "./task.ts";

export const recordTasks: readonly Task[] = [
  {
    title: "find a record and place a hold",
    most: [5, 6, 5],
    run: async ({ scene, as }) => {
      const person = scene.takePerson();
      const hands = await as("ben");
      await findRecord(hands, person, scene.acme);
      await hands.see("There is no hold on it");
      await hands.press("Place a hold");
      await hands.write("Reason", "Court order 7");
      await hands.write("Owner, such as a person or a department", "Legal");
      await hands.press("Place the hold");
      await hands.see("Court order 7");
      const holds = await scene.service.app.store.holds.ofRecords([
        { ...scene.acme, resourceType: "person", resourceId: person.id },
      ]);
      assert.equal(holds.length, 1);
    },
  },
  {
    title: "reveal the content of a record with a reason",
    most: [4, 5, 4],
    run: async ({ scene: { acme, takePerson }, as }) => {
      const person = takePerson();
      const { name } = person;
      const hands = await as("ben");
      await findRecord(hands, person, acme);
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
    title: "find a person by a name, and answer an authority with a letter",
    most: [4, 5, 4],
    withoutScript: true,
    run: async ({ scene: { acme, people }, as }) => {
      const { id, name } = present(people[0]);
      const hands = await as("ben");
      await hands.open("Find");
      await hands.press("Find a person or a company");
      const search = hands.within("Search");
      await search.write("Organization", acme.organizationName);
      await search.write("Name", name);
      await search.write("Reason of the search", "Inquiry 17/26");
      await search.press("Search");
      await hands.see("Name: exact");
      await hands.press(`Answer about ${id}`);
      await hands.see("A business relationship exists.");
      await hands.see("Inquiry 17/26");
      await printLetter(hands, name);
    },
  },
  {
    title: "preview the deletion of a person",
    most: [4, 5, 3],
    run: async ({ scene, as }) => {
      const person = scene.takePerson();
      const hands = await as("ben");
      await previewDeletion(hands, person, scene.acme);
    },
  },
  {
    title: "request a deletion",
    most: [5, 6, 5],
    run: async ({ scene, as }) => {
      const person = scene.takePerson();
      const hands = await as("ben");
      await previewDeletion(hands, person, scene.acme);
      await hands.write("Reason", "asked by the customer");
      await hands.write("Id of the record", person.id);
      await hands.press("Request the deletion");
      await hands.see("its grace period");
    },
  },
  {
    title: "answer an access request after a mistake, with its deadline and a copy",
    most: [6, 7, 4],
    run: async ({ scene, as }) => {
      const { id, name, transactions } = scene.takePerson();
      const hands = await as("ben");
      await hands.open("Access requests");
      await hands.write("Organization", "nobody");
      await hands.choose("Type", "Person");
      await hands.write("Id", id);
      await hands.press("Show what is stored");
      await hands.see('There is no organization "nobody".');
      assert.equal(await hands.page.getByLabel("Id", { exact: true }).inputValue(), id);
      await hands.write("Organization", scene.acme.organizationName);
      await hands.press("Show what is stored");
      await hands.see("one month, Article 12(3)");
      await hands.see("What is stored");
      await hands.page
        .getByRole("row", { name: `Transaction ${transactions}`, exact: true })
        .waitFor();
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the copy");
      const path = await (await downloading).path();
      assert.match(await readFile(path, "utf8"), new RegExp(`"name":"${name}"`));
      const opening = hands.page.waitForEvent("popup");
      await hands.press("Show the copy to print");
      const copy = await opening;
      await copy.getByText(name).first().waitFor();
      await findOverflow(copy);
      await copy.close();
      await hands.press("see what it would erase, and everything that prevents it");
      await hands.see("It begins after 1 day, and can be cancelled until then.");
      await hands.see(`Stays, with a pseudonym for the person: ${transactions}`);
    },
  },
  {
    title: "write to a person about an erasure",
    most: [4, 5, 1],
    run: async ({ scene, as }) => {
      const hands = await as("ben");
      await hands.open("Deletions");
      await hands.press("Completed");
      const { id, transactions } = present(scene.people[1]);
      await hands.press(new RegExp(id));
      await hands.press("Letter");
      await hands.see("What was erased");
      await hands.see(`Transaction: ${transactions}`);
      await printLetter(hands, id);
      assert.ok(hands.page.url().includes(scene.completed));
    },
  },
  {
    title: "set a floor, and see what retention would delete",
    most: [5, 6, 4],
    run: async ({ scene: { acme }, way, as }) => {
      const hands = await as("ben");
      await hands.open("Retention");
      await hands.press(new RegExp(acme.organizationId));
      const rule = hands.within("Set or remove the rule of a type");
      await rule.choose("Record type", "Screening");
      await rule.write("Keep at least, in days", way === "mouse" ? "3650" : "1826");
      await rule.press("Show what it would do");
      const planned = hands.within("Set this rule?");
      await planned.write("Id of the organization", acme.organizationId);
      await planned.press("Set the rule");
      await hands.see(way === "mouse" ? "3,650 days" : "1,826 days");
      await hands.write("With this ceiling for other types, in days", "30");
      await hands.press("Preview");
      await hands.see("Kept by a floor");
    },
  },
];

/** Writes the address, and looks at the letter in a wide and a narrow window, and in print without the console. */
async function printLetter(hands: Hands, text: string): Promise<void> {
  const { page } = hands;
  await hands.write("Address", "Ada Example\n1 Example Street");
  await findOverflow(page);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByLabel("Address").inputValue(), "Ada Example\n1 Example Street");
  assert.ok(await page.locator("article").getByText(text).first().isVisible());
  for (const left of ["nav", "header", "h1", ".note"]) {
    assert.equal(await page.locator(left).filter({ visible: true }).count(), 0, left);
  }
  assert.ok((await page.pdf({ preferCSSPageSize: true })).length > 1_000);
  await page.emulateMedia({ media: "screen" });
}

async function findOverflow(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.ok(Number(wide) <= width, `${page.url()} is ${String(wide)} wide at ${width}`);
  }
  if (size !== null) await page.setViewportSize(size);
}

/** Leaves the page of this person open. */
export async function findRecord(hands: Hands, { id }: Party, from: Customer): Promise<void> {
  await hands.open("Find");
  await hands.write("Organization", from.organizationName);
  await hands.choose("Record type", "Person");
  await hands.write("Id of the record", id);
  await hands.press("Find");
  await hands.press(id);
}

async function previewDeletion(hands: Hands, person: Party, from: Customer): Promise<void> {
  await findRecord(hands, person, from);
  await hands.press("Request its deletion");
  await hands.see("Erased: 1");
  await hands.see(`Stays, with a pseudonym for the person: ${person.transactions}`);
}
