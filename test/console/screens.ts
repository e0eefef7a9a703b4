// The pages that tests open: an address for every route that can be read, and what is longer than anything in use.

import assert from "node:assert/strict";
import { requestDeletionOf } from "../../src/actions/deletion/request-as-operator.ts";
import { routes } from "../../src/process/console-routes.ts";
import { signIn, uploadFile } from "./browse.ts";
import type { Hands } from "./hands.ts";
import { addItems } from "./portfolio.ts";
import type { Scene } from "./scene.ts";

/** A record and a file as long as they can be, of characters that take more than a byte. Returns the file's path. */
export async function addExtremes(scene: Scene): Promise<string> {
  const { app } = scene.service;
  const { organizationId } = scene.acme;
  const key = { organizationId, resourceType: "person", resourceId: `person-${"ü".repeat(100)}` };
  const flags = { is_test_user: false, is_retail_customer: true };
  const person = { person_id: key.resourceId, ...flags, timestamp: "2026-01-31T09:30:00Z" };
  await addItems(app, { ...key, items: [person] });
  await requestDeletionOf(app, { ...key, reason: "asked by the customer" });
  const columns = ["person_id", "naem", "timestamp", "x".repeat(200)];
  const rows = Array.from({ length: 50 }, (_, row) =>
    columns.map(() => `${row} ${"ü".repeat(60)}`),
  );
  const content = [columns, ...rows].map((cells) => cells.join(",")).join("\n");
  return uploadPersons(scene, { name: `${"long-name-".repeat(15)}.csv`, content });
}

/** Has anna upload a file of persons. Returns the path of its page. */
export async function uploadPersons(
  { service: { app, client, clock }, acme: { organizationId } }: Scene,
  file: { readonly name: string; readonly content: string },
): Promise<string> {
  clock.advanceMs(60_000);
  const cookie = await signIn(app, client, "anna");
  const fields = { organization: organizationId, type: "person", mode: "add" };
  const { status, headers } = await uploadFile(client, { cookie, fields, ...file });
  assert.equal(status, 303);
  return headers.location ?? "";
}

export interface FormPage {
  readonly path: string;
  /** What is done there for the page that follows, which has no address. */
  readonly act: (hands: Hands, scene: Scene) => Promise<void>;
}

/** The pages that only a form leads to. The person whom they are about has many transactions. */
export const formPages: Readonly<Record<string, FormPage>> = {
  subjects: { path: "/console/subjects", act: search },
  answer: {
    path: "/console/subjects",
    act: async (hands, scene) => {
      await search(hands, scene);
      await hands.press(/^Answer about/);
      await hands.see("A business relationship exists.");
    },
  },
  access: { path: "/console/access", act: showStored },
  copy: {
    path: "/console/access",
    act: async (hands, scene) => {
      await showStored(hands, scene);
      // In this window instead of a new one.
      const form = hands.page.locator("form[target]");
      await form.evaluate((element: { target: string }) => (element.target = ""));
      await hands.press("Show the copy to print");
      await hands.see("Copy of the data stored about you");
    },
  },
  restricted: {
    path: "/console/restricted",
    act: async (hands, { acme }) => {
      await hands.write("Organization", acme.organizationId);
      await hands.write("Reason for reading", "annual review");
      await hands.press("Show the restricted sets");
      await hands.see("Customer SAR 1");
    },
  },
};

const reason = "Inquiry 17/26";

async function search(hands: Hands, { acme, people }: Scene): Promise<void> {
  const form = hands.within("Search");
  await form.write("Organization", acme.organizationId);
  await form.write("Name", people[0]?.name ?? "");
  await form.write("Reason of the search", reason);
  await form.press("Search");
  await hands.see("Name: exact");
}

async function showStored(hands: Hands, { acme, people }: Scene): Promise<void> {
  await hands.write("Organization", acme.organizationId);
  await hands.choose("Type", "Person");
  await hands.write("Id", people[0]?.id ?? "");
  await hands.press("Show what is stored");
  await hands.see("What is stored");
}

/** Not pages: files, and a stream of events. */
export const notPages: ReadonlySet<string> = new Set([
  "/console/receipt/:id",
  "/console/deletion/:id/progress",
  "/console/proposal/:id/progress",
  "/console/upload/:id/progress",
  "/console/upload/:id/refused",
]);

/** An address of each page, and of those that look different in another state. */
export function pathsOf(scene: Scene, upload: string): readonly string[] {
  const own = routes
    .filter(({ method, path }) => method === "GET" && !path.includes(":") && !notPages.has(path))
    .map(({ path }) => path);
  const { organizationId } = scene.acme;
  const record = `organization=${organizationId}&type=person&id=${scene.people[0]?.id}`;
  return [
    ...own,
    `/console/deletion/${scene.completed}`,
    `/console/deletion/${scene.held}`,
    `/console/deletion/${scene.restricting}`,
    upload,
    scene.proposal,
    "/console/operator/ben",
    `/console/record?${record}`,
    `/console/record/deletion?${record}`,
    `/console/find?${record}`,
    `/console/hold/${scene.holdId}`,
    "/console/proposal/prop_none",
    "/console/operator/vera",
    `/console/retention?organization=${organizationId}&days=30`,
    `/console/organization/${organizationId}`,
    `/console/key/${scene.acme.keyId}`,
    ...scene.added,
    "/console/deletions/cancel?status=pending",
    "/console/health?period=day",
    "/console/deletions?status=cancelled",
    "/console/nothing",
  ];
}
