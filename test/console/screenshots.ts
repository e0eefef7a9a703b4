// `npm run screenshots`: writes the pictures of docs/guides/console.md, from a service with data that looks like use.
// The same pages in the same state each time; only ids that are drawn by lot differ. With a folder, writes every page
// there instead, in both colour schemes and in a narrow window, to look at; with names of pictures, only those.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { startService } from "../support/service.ts";
import { openBrowser } from "./browser.ts";
import { handsOf } from "./hands.ts";
import { known, makeScene, type Scene } from "./scene.ts";
import { proposeChanges } from "./screens.ts";

const [given, ...names] = process.argv.slice(2);
const folder = given ?? join(import.meta.dirname, "../../docs/guides/console");
const wide = 1_280;
const narrow = 390;
const heightMax = 900;
/** The id of the person whom the answer and the copy are about. */
const asked = "4bfaf949-a586-4b7c-a216-a3dbbb7c3e9e";
const quality = 65;
const bytesMax = 100_000;

interface Shot {
  readonly name: string;
  readonly path: (scene: Scene, made: Made) => string;
  /** Who has signed in; nobody if it is left out. */
  readonly as?: string;
  readonly dark?: boolean;
  readonly width?: number;
  /** A document that leaves the house, which is printed, too. */
  readonly printed?: true;
  /** What this person does on the page before the picture is taken. */
  readonly act?: (page: Page, organizationId: string) => Promise<void>;
}

/** The paths of what was made for the pictures. */
interface Made {
  readonly upload: string;
  readonly proposal: string;
}

async function searchByName(page: Page, organization: string): Promise<void> {
  const wanted = { organization, name: "Ada Example", reason: "Inquiry 17/26" };
  for (const [name, text] of Object.entries(wanted)) {
    await page.locator(`form.filters [name=${name}]`).first().fill(text);
  }
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("#found").waitFor();
}

async function answerFirst(page: Page, organization: string): Promise<void> {
  await searchByName(page, organization);
  await page.getByRole("button", { name: "Answer" }).first().click();
  await page.getByRole("heading", { name: "Relationship" }).waitFor();
}

async function countStored(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show what is stored" }).click();
  await page.getByRole("heading", { name: "What is stored" }).waitFor();
}

async function showCopy(page: Page): Promise<void> {
  await countStored(page);
  // In this window instead of a new one.
  await page.locator("form[target]").evaluate((form: { target: string }) => (form.target = ""));
  await page.getByRole("button", { name: "Show the copy to print" }).click();
  await page.getByRole("heading", { name: "Copy of the data stored about you" }).waitFor();
}

const recordOf = ({ acme }: Scene) =>
  `organization=${acme.organizationId}&type=person&id=${known.first.id}`;

const shots: readonly Shot[] = [
  { name: "sign-in", path: () => "/console/sign-in" },
  { name: "overview", path: () => "/console", as: "anna" },
  { name: "overview-dark", path: () => "/console", as: "anna", dark: true },
  { name: "deletions", path: () => "/console/deletions", as: "anna" },
  { name: "deletion", path: ({ held }) => `/console/deletion/${held}`, as: "anna" },
  { name: "receipt", path: ({ completed }) => `/console/deletion/${completed}`, as: "axel" },
  { name: "proposals", path: () => "/console/proposals", as: "anna" },
  { name: "proposal", path: (_, { proposal }) => proposal, as: "anna" },
  { name: "find", path: (scene) => `/console/find?${recordOf(scene)}`, as: "anna" },
  { name: "subjects", path: () => "/console/subjects", as: "anna", act: searchByName },
  { name: "answer", path: () => "/console/subjects", as: "anna", act: answerFirst, printed: true },
  {
    name: "letter",
    path: ({ completed }) => `/console/deletion/${completed}/letter`,
    as: "anna",
    printed: true,
  },
  {
    name: "access",
    path: (scene) => `/console/access?${recordOf(scene)}`,
    as: "anna",
    act: countStored,
  },
  {
    name: "copy",
    path: ({ acme }) =>
      `/console/access?organization=${acme.organizationId}&type=person&id=${asked}`,
    as: "anna",
    act: showCopy,
    printed: true,
  },
  { name: "record", path: (scene) => `/console/record?${recordOf(scene)}`, as: "anna" },
  { name: "holds", path: () => "/console/holds", as: "anna" },
  {
    name: "retention",
    path: ({ acme }) =>
      `/console/retention?organization=${acme.organizationId}&days=30&change=company`,
    as: "anna",
  },
  { name: "organizations", path: () => "/console/organizations", as: "anna" },
  {
    name: "organization",
    path: ({ acme }) => `/console/organization/${acme.organizationId}`,
    as: "anna",
  },
  { name: "key", path: ({ acme }) => `/console/key/${acme.keyId}`, as: "anna" },
  { name: "operators", path: () => "/console/operators", as: "anna" },
  { name: "audit", path: () => "/console/audit", as: "axel" },
  { name: "proof", path: () => "/console/proof", as: "axel" },
  { name: "erasures", path: () => "/console/erasures", as: "axel", printed: true },
  { name: "receipts", path: () => "/console/receipts", as: "axel" },
  { name: "intake", path: () => "/console/intake", as: "anna" },
  { name: "upload", path: (_, { upload }) => upload, as: "anna" },
  { name: "health", path: () => "/console/health", as: "anna" },
  { name: "account", path: () => "/console/account", as: "anna" },
];

/** An hour of intake, some of it rejected, and some deletions. The timers of the process are moved with the clock. */
async function addHour({ service, acme, addPerson, requestDeletion }: Scene): Promise<void> {
  const { client, clock } = service;
  for (let minute = 0; minute < 60; minute += 1) {
    const count = 12 + Math.round(8 * Math.sin(minute / 8)) + (minute % 5);
    const batch = Array.from({ length: count }, (_, index) => ({
      tx_id: `tx-${minute}-${index}`,
      type: index % 3 === 0 ? "WITHDRAWAL" : "DEPOSIT",
      method: "SEPA",
      amount: 10 + index,
      currency: minute % 17 === 0 && index === 0 ? "EURO" : "EUR",
      status: "SETTLED",
      receiver_id: known.first.id,
      receiver_country: "DE",
      timestamp: new Date(clock.now()).toISOString(),
    }));
    for (const body of batch) {
      await client.send({ method: "POST", path: "/v2/transaction", token: acme.token, body });
    }
    if (minute % 6 === 0) {
      const id = randomUUID();
      await addPerson(id, { name: `Customer ${minute}` });
      await requestDeletion(id);
    }
    clock.advanceMs(60_000);
    mock.timers.tick(60_000);
  }
}

/** A file with a column that no field has the name of. Returns the path of its page. */
async function uploadFile(page: Page, { base, acme }: Scene): Promise<string> {
  const hands = handsOf(page, "mouse");
  await page.goto(`${base}/console/intake`);
  await hands.write("Organization", acme.organizationId);
  await hands.choose("Record type", "Person");
  const text =
    "person_id,is_test_user,is_retail_customer,naem,timestamp\n" +
    "person-801,false,true,Ada Lovelace,2026-01-31T09:30:00Z\n" +
    "person-802,false,yes,Charles Babbage,2026-01-31T09:30:00Z\n";
  await hands.attach("File", { name: "customers.csv", text });
  await hands.press("Upload");
  await hands.see("did you mean name?");
  return new URL(page.url()).pathname;
}

interface Studio {
  readonly browser: Browser;
  readonly scene: Scene;
  readonly made: Made;
  /** The sessions of those who have signed in. */
  readonly cookies: Readonly<Record<string, Awaited<ReturnType<BrowserContext["cookies"]>>>>;
}

async function takeShot({ browser, scene, made, cookies }: Studio, shot: Shot): Promise<void> {
  const { width = wide } = shot;
  const context = await browser.newContext({
    viewport: { width, height: 700 },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    colorScheme: shot.dark === true ? "dark" : "light",
  });
  if (shot.as !== undefined) await context.addCookies(cookies[shot.as] ?? []);
  const page = await context.newPage();
  // Requests of an address are limited by time.
  scene.service.clock.advanceMs(1_000);
  const reply = await page.goto(scene.base + shot.path(scene, made));
  assert.equal(reply?.status(), 200, shot.name);
  await shot.act?.(page, scene.acme.organizationId);
  const picture = await (given === undefined ? capture(page) : page.screenshot({ fullPage: true }));
  assert.ok(
    given !== undefined || picture.length <= bytesMax,
    `${shot.name}: ${picture.length} bytes`,
  );
  const file = `${shot.name}.${given === undefined ? "webp" : "png"}`;
  writeFileSync(join(folder, file), picture);
  process.stdout.write(`${file} ${picture.length} bytes\n`);
  if (shot.printed === true) {
    const printed = await page.pdf({ preferCSSPageSize: true });
    assert.ok(printed.length <= bytesMax, `${shot.name}: ${printed.length} bytes in print`);
    writeFileSync(join(folder, `${shot.name}.pdf`), printed);
  }
  await context.close();
}

function inEveryForm(shot: Shot): readonly Shot[] {
  if (shot.dark === true) return [];
  const { name } = shot;
  return [
    shot,
    { ...shot, name: `${name}-dark`, dark: true },
    { ...shot, name: `${name}-narrow`, width: narrow },
  ];
}

/** As WebP, which the driver can't write. */
async function capture(page: Page): Promise<Buffer> {
  const shown = Number(await page.evaluate("document.documentElement.scrollHeight"));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality,
    clip: { x: 0, y: 0, width: wide, height: Math.min(shown, heightMax), scale: 1 },
    captureBeyondViewport: true,
  });
  return Buffer.from(data, "base64");
}

mock.timers.enable({ apis: ["setInterval"] });
mkdirSync(folder, { recursive: true });
const service = await startService();
const browser = await openBrowser();
try {
  const scene = await makeScene(service);
  await addHour(scene);
  const { organizationId } = scene.acme;
  await setRule(service.app, { organizationId, resourceType: "company", keepDays: 3_650 });
  const kept = { resourceType: "transaction", keepDays: 1_827, redactable: true };
  await setRule(service.app, { organizationId, ...kept });
  const customer = { date_of_birth: "1990-12-10", account_status: "APPROVED" };
  for (const [index, name] of ["Ada Example", "Ada Maria Example", "Ada Exampel"].entries()) {
    await scene.addPerson(index === 0 ? asked : randomUUID(), { ...customer, name });
  }
  const payments = Array.from({ length: 40 }, (_, no) => ({
    tx_id: randomUUID(),
    type: no % 3 === 0 ? "WITHDRAWAL" : "DEPOSIT",
    method: no % 4 === 0 ? "INTERNAL_TRANSFER" : "SEPA",
    amount: 19.9 + 211 * no,
    currency: "EUR",
    status: "SETTLED",
    sender_id: no % 3 === 0 ? asked : known.first.id,
    sender_country: "DE",
    receiver_id: no % 3 === 0 ? known.first.id : asked,
    receiver_country: "FR",
    timestamp: new Date(service.clock.now() - no * 86_400_000).toISOString(),
  }));
  await scene.service.client.send({
    method: "POST",
    path: "/v2/transactions/batch",
    token: scene.acme.token,
    body: payments,
  });
  const cookies: Record<string, Studio["cookies"][string]> = {};
  for (const name of new Set(shots.flatMap((shot) => shot.as ?? []))) {
    const context = await browser.newContext();
    await scene.signInTo(context, name);
    cookies[name] = await context.cookies();
  }
  const context = await browser.newContext();
  await context.addCookies(cookies["anna"] ?? []);
  const made = {
    upload: await uploadFile(await context.newPage(), scene),
    proposal: await proposeChanges(scene),
  };
  const wanted = given === undefined ? shots : shots.flatMap(inEveryForm);
  const named = wanted.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const shot of named) await takeShot({ browser, scene, made, cookies }, shot);
} finally {
  await browser.close();
  await service.stop();
}
