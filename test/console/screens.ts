// The pages that tests open and screenshots show: an address for every route that can be read, and what fills lists.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { OperatorError } from "../../src/actions/operator/operator-error.ts";
import { actAs } from "../../src/actions/operator/viewer.ts";
import { releaseHold } from "../../src/actions/retention/holds.ts";
import { routes } from "../../src/process/console-routes.ts";
import { handsOf } from "./hands.ts";
import { known, type Scene } from "./scene.ts";

/** Deletions, so that the list is a full page and continues on another. */
const deletionsListed = 60;

/** Returns the path of an uploaded file. */
export async function fillScreens(
  { base, acme, addPerson, requestDeletion }: Scene,
  page: Page,
): Promise<string> {
  for (let index = 0; index < deletionsListed; index += 1) {
    // Long ids, of characters that take more than a byte.
    const id = `person-${index}-${"ü".repeat(100)}`;
    await addPerson(id);
    await requestDeletion(id);
  }
  const hands = handsOf(page, "mouse");
  await page.goto(`${base}/console/intake`);
  await hands.write("Organization", acme.organizationId);
  await hands.choose("Record type", "Person");
  const columns = ["person_id", "naem", "timestamp", "x".repeat(200)];
  const rows = Array.from({ length: 50 }, (_, row) =>
    columns.map(() => `${row} ${"ü".repeat(60)}`),
  );
  const text = [columns, ...rows].map((cells) => cells.join(",")).join("\n");
  await hands.attach("File", { name: `${"long-name-".repeat(15)}.csv`, text });
  await hands.press("Upload");
  await hands.see("did you mean name?");
  return new URL(page.url()).pathname;
}

/** Has ben propose to release a hold, and to end the approval. Returns the address of the first proposal. */
export async function proposeChanges({ service: { app }, acme, holdId }: Scene): Promise<string> {
  const { organizationId } = acme;
  const ben = await app.store.operators.findByName("ben");
  assert.ok(ben !== undefined);
  const asBen = actAs(app, ben);
  await changeOrganization(app, organizationId, { deletionApproval: true });
  const release = await proposalOf(releaseHold(asBen, { holdId }));
  await proposalOf(changeOrganization(asBen, organizationId, { deletionApproval: false }));
  await changeOrganization(app, organizationId, { deletionApproval: false });
  return `/console/proposal/${release}`;
}

async function proposalOf(act: Promise<unknown>): Promise<string> {
  const error: unknown = await act.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof OperatorError);
  return String(error.context.proposalId);
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
export function pathsOf(scene: Scene, upload: string, proposal: string): readonly string[] {
  const own = routes
    .filter(({ method, path }) => method === "GET" && !path.includes(":") && !notPages.has(path))
    .map(({ path }) => path);
  const { organizationId } = scene.acme;
  const record = `organization=${organizationId}&type=person&id=${known.first.id}`;
  return [
    ...own,
    `/console/deletion/${scene.completed}`,
    `/console/deletion/${scene.held}`,
    upload,
    proposal,
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
