// `npm run screenshots`: writes the pictures of docs/guides/console.md, from a service with data that looks like use.
// The same pages in the same state each time; only ids that are drawn by lot differ. With a folder, writes every page
// there instead, in both colour schemes and in a narrow window, to look at; with names of pictures, only those.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startService } from "../support/service.ts";
import { openBrowser } from "./browser.ts";
import { handsOf } from "./hands.ts";
import { makeScene, type Scene } from "./scene.ts";
import { type FormPage, formPages, uploadPersons } from "./screens.ts";

const [given, ...names] = process.argv.slice(2);
const folder = given ?? join(import.meta.dirname, "../../docs/guides/console");
const wide = 1_280;
const narrow = 390;
const heightMax = 900;
const quality = 65;
const bytesMax = 120_000;

interface Shot extends Partial<Pick<FormPage, "act">> {
  readonly name: string;
  readonly path: string;
  /** Who has signed in; nobody if it is left out. */
  readonly as?: string;
  readonly dark?: boolean;
  readonly width?: number;
}

/** Documents that leave the house, which are printed, too. */
const printed: ReadonlySet<string> = new Set(["answer", "letter", "copy", "erasures", "receipt"]);

function shotsOf(scene: Scene, uploaded: string): readonly Shot[] {
  const { organizationId, keyId } = scene.acme;
  const record = `organization=${organizationId}&type=person&id=${scene.people[0]?.id}`;
  const ofAnna = {
    overview: "",
    deletions: "/deletions",
    deletion: `/deletion/${scene.held}`,
    proposals: "/proposals",
    find: `/find?${record}`,
    letter: `/deletion/${scene.completed}/letter`,
    record: `/record?${record}`,
    request: `/record/deletion?${record}`,
    holds: "/holds",
    retention: `/retention?organization=${organizationId}&days=30&change=company`,
    organizations: "/organizations",
    organization: `/organization/${organizationId}`,
    webhooks: `/webhooks/${organizationId}`,
    key: `/key/${keyId}`,
    operators: "/operators",
    intake: "/intake",
    health: "/health",
    account: "/account",
  };
  const ofAxel = {
    receipt: `/deletion/${scene.completed}`,
    audit: "/audit",
    proof: "/proof",
    erasures: "/erasures",
    receipts: "/receipts",
  };
  return [
    { name: "sign-in", path: "/console/sign-in" },
    ...pagesOf("anna", ofAnna),
    ...pagesOf("axel", ofAxel),
    { name: "overview-dark", path: "/console", as: "anna", dark: true },
    { name: "proposal", path: scene.proposal, as: "anna" },
    { name: "upload", path: uploaded, as: "anna" },
    ...Object.entries(formPages).map(([name, page]) => ({ ...page, name, as: "anna" })),
  ];
}

function pagesOf(as: string, paths: Readonly<Record<string, string>>): readonly Shot[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path: `/console${path}`, as }));
}

/** An hour of intake, some of it rejected. The timers of the process are moved with the clock. */
async function addHour({ service, acme: { token }, people }: Scene): Promise<void> {
  const { client, clock } = service;
  const path = "/v2/transaction";
  for (let minute = 0; minute < 60; minute += 1) {
    const count = 12 + Math.round(8 * Math.sin(minute / 8)) + (minute % 5);
    for (let no = 0; no < count; no += 1) {
      const body = {
        tx_id: `tx-${minute}-${no}`,
        type: no % 3 === 0 ? "WITHDRAWAL" : "DEPOSIT",
        method: "SEPA",
        amount: 10 + no,
        currency: minute % 17 === 0 && no === 0 ? "EURO" : "EUR",
        status: "SETTLED",
        receiver_id: people[no]?.id,
        receiver_country: "DE",
        timestamp: new Date(clock.now()).toISOString(),
      };
      await client.send({ method: "POST", path, token, body });
    }
    clock.advanceMs(60_000);
    mock.timers.tick(60_000);
  }
}

/** With a column that no field has the name of, and a wrong row. */
const customers = {
  name: "customers.csv",
  content:
    "person_id,is_test_user,is_retail_customer,naem,timestamp\n" +
    "person-801,false,true,Ada Lovelace,2026-01-31T09:30:00Z\n" +
    "person-802,false,yes,Charles Babbage,2026-01-31T09:30:00Z\n",
};

interface Studio {
  readonly browser: Browser;
  readonly scene: Scene;
  /** The sessions of those who have signed in. */
  readonly cookies: Readonly<Record<string, Awaited<ReturnType<BrowserContext["cookies"]>>>>;
}

async function takeShot({ browser, scene, cookies }: Studio, shot: Shot): Promise<void> {
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
  const reply = await page.goto(scene.base + shot.path);
  assert.equal(reply?.status(), 200, shot.name);
  await shot.act?.(handsOf(page, "mouse"), scene);
  const picture = await (given === undefined ? capture(page) : page.screenshot({ fullPage: true }));
  assert.ok(
    given !== undefined || picture.length <= bytesMax,
    `${shot.name}: ${picture.length} bytes`,
  );
  const file = `${shot.name}.${given === undefined ? "webp" : "png"}`;
  writeFileSync(join(folder, file), picture);
  process.stdout.write(`${file} ${picture.length} bytes\n`);
  if (printed.has(shot.name)) {
    const pdf = await page.pdf({ preferCSSPageSize: true });
    assert.ok(pdf.length <= bytesMax, `${shot.name}: ${pdf.length} bytes in print`);
    writeFileSync(join(folder, `${shot.name}.pdf`), pdf);
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
  const shots = shotsOf(scene, await uploadPersons(scene, customers));
  const cookies: Record<string, Studio["cookies"][string]> = {};
  for (const name of new Set(shots.flatMap((shot) => shot.as ?? []))) {
    const context = await browser.newContext();
    await scene.signInTo(context, name);
    cookies[name] = await context.cookies();
  }
  const wanted = given === undefined ? shots : shots.flatMap(inEveryForm);
  const named = wanted.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const shot of named) await takeShot({ browser, scene, cookies }, shot);
} finally {
  await browser.close();
  await service.stop();
}
