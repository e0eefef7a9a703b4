// What people do in the console, as data: each task is done by keyboard alone, and some also in another way.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fourEyesTasks } from "./task/four-eyes.ts";
import { intakeTasks } from "./task/intake.ts";
import { recordTasks } from "./task/records.ts";
import { lastPartOf, type Task } from "./task/task.ts";
import type { Hands } from "./hands.ts";
import { findActiveOperator } from "../../src/actions/operator/operators.ts";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import { fetchToken } from "../support/customer.ts";
import { organizationName } from "./scene.ts";
import { createKey } from "../../src/actions/access/keys.ts";
import { addOperator } from "./browse.ts";

const auditTasks: readonly Task[] = [
  {
    title: "verify the chain of the audit trail, and download it",
    most: [4, 5, 0],
    run: async ({ as }) => {
      const hands = await as("axel");
      await hands.open("Audit");
      await hands.press("Verify the chain");
      await hands.see("are unaltered");
      await hands.see("This is the end of the trail");
      await hands.press("To the audit trail");
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the audit trail");
      const path = await (await downloading).path();
      assert.match(await readFile(path, "utf8"), /"action":"operator\.create"/);
    },
  },
  {
    title: "audit from the export to the proof, with heads that were stored before",
    most: [8, 11, 4],
    run: async ({ scene: { service }, as }) => {
      const { text: heads } = await service.client.send({
        method: "GET",
        path: "/.well-known/sluice-heads.json",
      });
      const hands = await as("axel");
      await hands.open("Receipts");
      const downloading = hands.page.waitForEvent("download");
      await hands.press("Download the receipts of all organizations");
      const path = await (await downloading).path();
      const text = await readFile(path, "utf8");
      await verify(hands, { name: "receipts.ndjson", text }, heads);
      await hands.see(/^genuine$/);
      await hands.see(/found: number \d/);
      await hands.see(/entry [\d,]+ has the digest of the manifest/);
      const first = text.slice(0, text.indexOf("\n") + 1);
      await verify(hands, { name: "cut.ndjson", text: text.replace(first, "") }, heads);
      await hands.see("not genuine, or not complete");
      await hands.see("was cut, or the manifest is of another file");
    },
  },
];

async function verify(
  hands: Hands,
  file: { readonly name: string; readonly text: string },
  heads: string,
): Promise<void> {
  await hands.open("Verify a file");
  await hands.press("A manifest beside the file, or heads that you stored earlier");
  const label =
    "Heads, as this service publishes them: find the missing end of receipts and of the trail";
  await hands.write(label, heads);
  await hands.attach("File", file);
  await hands.press("Verify");
}

const deletionTasks: readonly Task[] = [
  {
    title: "cancel a deletion",
    most: [5, 6, 2],
    run: async ({ scene, as }) => {
      const { app } = scene.service;
      const { organizationId } = scene.acme;
      const { id: resourceId } = scene.takePerson();
      const key = { organizationId, resourceType: "person", resourceId };
      const { deletionRequestId: id } = await requestDeletionOf(app, { ...key, reason: "asked" });
      const hands = await as("ben");
      await hands.open("Deletions");
      await hands.press(/^Pending/);
      await hands.press(new RegExp(resourceId));
      await hands.see("its grace period");
      await hands.write("Id of the deletion", "del_another");
      await hands.press("Cancel the deletion");
      await hands.see("Nothing was changed");
      // What was typed is still there, and so is the navigation.
      const typed = hands.page.getByLabel("Id of the deletion", { exact: true });
      assert.equal(await typed.inputValue(), "del_another");
      assert.equal(await typed.getAttribute("aria-invalid"), "true");
      await hands.page.locator("nav.side").waitFor({ state: "attached" });
      await hands.write("Id of the deletion", id);
      await hands.press("Cancel the deletion");
      await hands.see("cancelled");
      const deletion = await app.store.findDeletion(id, undefined);
      assert.equal(deletion?.status, "cancelled");
    },
  },
  {
    title: "verify the receipt of a deletion",
    most: [4, 5, 0],
    run: async ({ scene, as }) => {
      const hands = await as("axel");
      await hands.open("Deletions");
      await hands.press("Completed");
      await hands.press(new RegExp(scene.people[1]?.id ?? ""));
      await hands.see("The receipt is genuine");
      await hands.press("The receipt");
      await hands.page.getByText(`"deletion_request_id":"${scene.completed}"`).waitFor();
    },
  },
  {
    title: "approve a deletion as a second person, and verify its receipt",
    most: [5, 7, 1],
    run: async ({ scene: { service, strict, takePerson }, as }) => {
      const { app } = service;
      const { organizationId } = strict;
      const { id: resourceId } = takePerson(strict);
      const anna = actAs(app, await findActiveOperator(app, "anna"));
      const key = { organizationId, resourceType: "person", resourceId };
      const { deletionRequestId: id } = await requestDeletionOf(anna, { ...key, reason: "asked" });
      const requester = await as("anna");
      await requester.open("Deletions");
      await requester.press(new RegExp(resourceId));
      await requester.see("another person has to approve it");
      const hands = await as("ben");
      await hands.open("Deletions");
      await hands.press(new RegExp(resourceId));
      await hands.write("Id of the deletion", id);
      await hands.press("Approve the deletion");
      // Both pages follow what happens, without being reloaded.
      for (const watching of [requester, hands]) {
        await watching.see(/approved by/);
        await watching.see("The receipt is genuine");
      }
    },
  },
];

const organizationTasks: readonly Task[] = [
  {
    title: "choose the organization to work in, and keep it",
    most: [7, 11, 1],
    run: async ({ scene: { acme }, as }) => {
      const hands = await as("ben");
      await hands.open("Organizations");
      await hands.write("Part of the id or of the name", "abwicklungs");
      await hands.press("Search");
      await hands.press(`Choose ${acme.organizationId}`);
      await hands.open("Deletions");
      assert.equal(
        await hands.page.getByLabel("Organization", { exact: true }).inputValue(),
        organizationName,
      );
      await hands.open("Organizations");
      await hands.press("Show all organizations");
      await hands.open("Deletions");
      assert.equal(await hands.page.getByLabel("Organization", { exact: true }).inputValue(), "");
    },
  },
  {
    title: "create an organization, and a key for it",
    most: [6, 7, 2],
    run: async ({ scene: { service }, way, as }) => {
      const name = `Caisse d'Épargne et de Prévoyance (${way})`;
      const hands = await as("anna");
      await hands.open("Organizations");
      await hands.press("Create an organization");
      await hands.write("Name", name);
      await hands.press("Create the organization");
      await hands.see(name);
      const organizationId = lastPartOf(hands);
      await hands.press("Create a key");
      await hands.write("Name, which says what it is for", "feed");
      await hands.mark("transactions:write");
      await hands.press("Create the key");
      const apiKey = await readSecret(hands);
      const scopes = ["transactions:write"];
      assert.ok(await fetchToken(service.client, { organizationId, apiKey }, { scopes }));
    },
  },
  {
    title: "rotate a key, with an overlap",
    most: [4, 5, 1],
    run: async ({ scene: { service, acme }, as }) => {
      const { organizationId } = acme;
      const scopes = ["transactions:write"] as const;
      const old = await createKey(service.app, { organizationId, name: "feed", scopes });
      const hands = await as("anna");
      await hands.open("Organizations");
      await hands.press(new RegExp(organizationId));
      await hands.press(new RegExp(old.key.keyId));
      await hands.write("Overlap; 0s ends the old key at once", "1h");
      await hands.press("Rotate the key");
      const secret = await readSecret(hands);
      assert.notEqual(secret, old.secret);
      for (const apiKey of [secret, old.secret]) {
        assert.ok(await fetchToken(service.client, { organizationId, apiKey }, { scopes }));
      }
    },
  },
];

/** The secret that the page shows, the only time. */
async function readSecret(hands: Hands): Promise<string> {
  await hands.see("This is the only time that the secret is shown");
  return (await hands.page.locator("pre code").textContent()) ?? "";
}

const signInTasks: readonly Task[] = [
  {
    title: "sign in for the first time, add a passkey, and sign in with it",
    most: [4, 4, 1],
    run: async ({ scene, way, signedOut }) => {
      const name = await addOperator(scene.service.app, ["viewer"], `new-${way}`);
      const hands = await signedOut();
      await hands.page.goto(await scene.signInLink(name));
      await hands.press("Sign in");
      await hands.see("You have no passkey yet");
      await hands.write("Its name, such as laptop or security key", "laptop");
      await hands.press("Add a passkey");
      await hands.page.getByRole("button", { name: /^Remove passkey/ }).waitFor();
      await hands.see("laptop (built into a device)");
      await hands.press("Sign out");
      await hands.press("Sign in with a passkey");
      await hands.see("Open deletions");
    },
  },
  {
    title: "sign in with a link, see the overview, and sign out",
    most: [3, 4, 0],
    withoutScript: true,
    run: async ({ scene, way, signedOut }) => {
      const hands = await signedOut();
      await hands.page.goto(await scene.signInLink("vera"));
      await hands.press("Sign in");
      await hands.see(
        way === "no script" ? "Adding a passkey needs JavaScript." : "You have no passkey yet",
      );
      await hands.open("Overview");
      await hands.see("Open deletions");
      await hands.press("Sign out");
      await hands.page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  },
  {
    title: "revoke the session of somebody else",
    most: [3, 5, 0],
    run: async ({ as }) => {
      const others = await as("vera");
      const hands = await as("anna");
      await hands.open("Account");
      const row = hands.page.getByRole("row").filter({ hasText: "vera" });
      await hands.press((await row.getByRole("button").textContent())?.trim() ?? "");
      await row.waitFor({ state: "detached" });
      await others.open("Deletions");
      await others.page.getByRole("heading", { name: "Sign in" }).waitFor();
    },
  },
];

export const tasks: readonly Task[] = [
  ...signInTasks,
  ...deletionTasks,
  ...fourEyesTasks,
  ...recordTasks,
  ...organizationTasks,
  ...intakeTasks,
  ...auditTasks,
];
