// Every page of the console in a real browser: what axe finds in both colour schemes, how much is loaded and from
// where, and whether it fits the window. The pages come from the table of routes. One browser and one service for all
// of them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { routes } from "../../src/process/console-routes.ts";
import { type Service, startService } from "../support/service.ts";
import { openBrowser, watchPage } from "./browser.ts";
import { handsOf } from "./hands.ts";
import { makeScene, type Scene } from "./scene.ts";
import { addExtremes, formPages, notPages, pathsOf } from "./screens.ts";

const pageBytesMax = 80_000;
const narrow = 390;
const widths = [360, narrow, 768, 1_280, 2_560];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("a page of the console", () => {
  let service: Service;
  let scene: Scene;
  let browser: Browser;
  let page: Page;
  let paths: readonly string[] = [];
  const faults: string[] = [];
  let sizes: Promise<number>[] = [];
  before(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    scene = await makeScene(service);
    const context = await browser.newContext();
    await scene.signInTo(context, "anna");
    page = await context.newPage();
    watchPage(page, scene.base, faults);
    paths = pathsOf(scene, await addExtremes(scene));
    const devTools = await context.newCDPSession(page);
    await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
    page.on("response", (response) => {
      // The progress of work is asked for each second while the page is open.
      if (response.request().resourceType() === "fetch") return;
      sizes.push(response.body().then(({ length }) => length));
    });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  it("is among those that are tested here, if it can be read", () => {
    const tested = paths.map((path) => path.replace(/\?.*/, ""));
    const missing = routes
      .filter(({ method, path }) => method === "GET" && !notPages.has(path))
      .map(({ path }) => new RegExp(`^${path.replace(/:\w+/, "[^/]+")}$`))
      .filter((pattern) => !tested.some((path) => pattern.test(path)));
    assert.deepEqual(missing, []);
  });

  async function requireGood(what: string): Promise<void> {
    await page.evaluate(axe);
    assert.deepEqual(await page.evaluate(findViolations), [], what);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await page.evaluate(findPoorContrast), [], `${what} in the dark scheme`);
    await page.emulateMedia({ colorScheme: "light" });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      assert.deepEqual(await page.evaluate(findOverflow), [], `${what} at ${width} pixels`);
      if (width !== narrow) continue;
      assert.deepEqual(await page.evaluate(findViolations), [], `${what} at ${width} pixels`);
    }
    await page.setViewportSize({ width: 1_280, height: 800 });
    assert.deepEqual(await page.evaluate(findCutTables), [], `${what} cuts a table off`);
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await page.evaluate(findCutCells), [], `${what} in print`);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    assert.deepEqual(await page.evaluate(findOverflow), [], `${what} at 200 %`);
    assert.deepEqual(faults, [], what);
  }

  it("has no accessibility violation that axe finds, in both colour schemes and in a wide and a narrow window, fits every window, loads at most 80 kB in all, nothing from elsewhere, and prints its tables whole", async () => {
    for (const path of paths) {
      sizes = [];
      const response = await page.goto(scene.base + path);
      assert.ok((response?.status() ?? 500) < 500, path);
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      assert.ok(bytes > 0 && bytes <= pageBytesMax, `${path} loads ${bytes} bytes`);
      await requireGood(path);
    }
    for (const [name, { path, act }] of Object.entries(formPages)) {
      await page.goto(scene.base + path);
      await act(handsOf(page, "mouse"), scene);
      await requireGood(name);
    }
  });

  it("has columns in which what tells rows apart is not cut off", async () => {
    // The sizes of its pages are not measured.
    const own = await page.context().newPage();
    await own.setViewportSize({ width: 1_280, height: 800 });
    const { organizationId } = scene.acme;
    const columns: Readonly<Record<string, readonly string[]>> = {
      [`/console/organization/${organizationId}`]: ["Name", "Types"],
      "/console/deletions?organization=": ["Status", "Requested", "Due"],
      "/console/holds": ["Hold", "Review", "Ends"],
      "/console/organizations": ["Approval of deletions", "Rate limit"],
      "/console/operators": ["Roles", "Signs in with"],
      [`/console/webhooks/${organizationId}`]: ["URL", "State"],
    };
    for (const [path, labels] of Object.entries(columns)) {
      await own.goto(scene.base + path);
      assert.deepEqual(await own.evaluate(findCutColumns(labels)), [], path);
    }
    await own.goto(`${scene.base}/console/deletions?organization=`);
    assert.ok(Number(await own.evaluate(findNarrowest("Organization"))) >= 180);
    await own.goto(`${scene.base}/console/restricted`);
    await formPages["restricted"]?.act(handsOf(own, "mouse"), scene);
    assert.deepEqual(await own.evaluate(findCutColumns(["Keeps", "Waits for"])), []);
    await own.goto(`${scene.base}/console/deletions?organization=${organizationId}`);
    assert.deepEqual(await own.evaluate(findCutNames), [], "the ids of deletions");
    const person = `organization=${organizationId}&type=person&id=${scene.people[0]?.id}`;
    await own.goto(`${scene.base}/console/record?${person}`);
    await own.fill('form[action="/console/record/reading"] [name=reason]', "Inquiry 17/26");
    await own.click('form[action="/console/record/reading"] button');
    await own.waitForSelector("#transactions");
    assert.deepEqual(await own.evaluate(findCutNames), [], "the ids of transactions");
    assert.deepEqual(await own.evaluate(findCutColumns(["Amount", "Other party"])), []);
    await own.setViewportSize({ width: narrow, height: 800 });
    await own.goto(`${scene.base}/console/deletions?organization=${organizationId}`);
    assert.deepEqual(await own.evaluate(findCutColumns(["Requested by"])), []);
    await own.goto(`${scene.base}/console/holds`);
    assert.deepEqual(await own.evaluate(findCutOwners), []);
    await own.close();
  });

  it("says when its session has ended elsewhere, instead of looking as if it went on", async () => {
    const context = await browser.newContext();
    await scene.signInTo(context, "anna");
    const own = await context.newPage();
    const { organizationId } = scene.acme;
    const query = { organizationId, status: "pending", limit: 1 } as const;
    const [deletion] = await service.app.store.listDeletions(query);
    await own.goto(`${scene.base}/console/deletion/${deletion?.deletionRequestId}`);
    await context.clearCookies();
    const said = own.locator("main > [role=alert]");
    assert.match((await said.textContent()) ?? "", /^Your session has ended: this page no longer/);
    assert.doesNotMatch(await own.locator("main").innerText(), /without being reloaded/);
    await context.close();
  });
});

const findViolations = runAxe(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
/** The one rule whose findings depend on the colour scheme. */
const findPoorContrast = runAxe(["color-contrast"]);

function runAxe(rules: readonly string[]): string {
  // What passes is not described: that takes as long as the rules.
  const options = { runOnly: rules, resultTypes: ["violations"], selectors: false };
  return `axe
    .run(document, ${JSON.stringify(options)})
    .then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;
}

/** Tables of which a part is seen only after scrolling, although the window is wide enough for work. */
const findCutTables = `[...document.querySelectorAll(".scroll:has(table)")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent.slice(0, 80))`;

const findCutCells = `[...document.querySelectorAll("th, td")]
  .filter((cell) => getComputedStyle(cell).overflow !== "visible")
  .map(({ textContent }) => textContent.slice(0, 80))`;

/** Of ids as programs make them. */
const findCutNames = `[...document.querySelectorAll(".cards td:not([data-label])")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent.trim())
  .filter((name) => name.length < 80)`;

const findCutOwners = findCutNames.replace("td:not([data-label])", ".owner");

/** Cells under these headings that show a part of what they contain, and headings without a cell. */
function findCutColumns(labels: readonly string[]): string {
  return `${JSON.stringify(labels)}.flatMap((label) => {
    const cells = [...document.querySelectorAll('[data-label="' + label + '"]')];
    if (cells.length === 0) return [label];
    return cells
      .filter(({ scrollWidth, clientWidth }) => clientWidth < 40 || scrollWidth > clientWidth)
      .map(({ textContent }) => label + ": " + textContent);
  })`;
}

function findNarrowest(label: string): string {
  return `Math.min(...[...document.querySelectorAll('[data-label="${label}"]')]
    .map(({ clientWidth }) => clientWidth))`;
}

/** What is wider than the window, except inside what scrolls by itself. */
const findOverflow = `(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > width && !element.closest(".scroll"))
    .map((element) => element.outerHTML.slice(0, 120))
    .slice(0, 3)
    .concat("the page is " + document.documentElement.scrollWidth + " wide");
})()`;
