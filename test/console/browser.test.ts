// The console in a real browser: signing in with a passkey, by keyboard alone, without JavaScript, and what axe finds on each
// page in both colour schemes. One browser and one service for all of them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { createSignInLink } from "../../src/actions/operator/sign-in-link.ts";
import { type Service, startService } from "../support/service.ts";
import { addOperator } from "./browse.ts";
import { openBrowser } from "./browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screens = ["/console", "/console?period=day", "/console/deletions", "/console/account"];

describe("the console in a browser", () => {
  let service: Service;
  let browser: Browser;
  let base: string;
  before(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    base = service.address.replace("127.0.0.1", "localhost");
    await addOperator(service.app, ["operator", "officer"], "anna");
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  async function linkFor(name: string): Promise<string> {
    service.clock.advanceMs(60_000);
    const { secret } = await createSignInLink(service.app, name);
    return `${base}/console/link?token=${secret}`;
  }

  /** Fails the test for a request to another origin, or an error in the console of the browser. */
  async function open(
    options: Parameters<Browser["newContext"]>[0] = {},
  ): Promise<{ readonly context: BrowserContext; readonly page: Page; readonly faults: string[] }> {
    const context = await browser.newContext(options);
    const faults: string[] = [];
    const page = await context.newPage();
    page.on("request", (request) => {
      if (!request.url().startsWith(`${base}/`)) faults.push(request.url());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    return { context, page, faults };
  }

  it("adds a passkey after the first sign-in, and signs in with it", async () => {
    const { context, page, faults } = await open();
    const session = await context.newCDPSession(page);
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(await linkFor("anna"));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Account" }).waitFor();
    await page.getByText("You have no passkey yet").waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("button", { name: /Remove passkey/ }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  it("needs no mouse", async () => {
    const { context, page } = await open();
    await page.goto(await linkFor("anna"));
    await pressUntil(page, "Sign in");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Account" }).waitFor();
    await pressUntil(page, "Overview");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await pressUntil(page, "Sign out");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  it("needs no JavaScript, except for passkeys", async () => {
    const { context, page } = await open({ javaScriptEnabled: false });
    await page.goto(await linkFor("anna"));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Adding a passkey needs JavaScript.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Add a passkey" }).count(), 0);
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("link", { name: "the last 24 hours" }).click();
    assert.match(page.url(), /period=day$/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  it("has no accessibility violation that axe finds, in both colour schemes", async () => {
    // Only here, so that axe may run in the page; the policy itself is tested over HTTP.
    const { context, page } = await open({ bypassCSP: true });
    await page.goto(await linkFor("anna"));
    await page.getByRole("button", { name: "Sign in" }).click();
    for (const path of ["/console/sign-in", "/console/nothing", ...screens]) {
      await page.goto(base + path);
      await page.evaluate(axe);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const found = await page.evaluate(findViolations);
        assert.deepEqual(found, [], `${path} ${colorScheme}`);
      }
    }
    await context.close();
  });

  it("fits 360 pixels, and 200 % of a small screen", async () => {
    const { context, page } = await open({ viewport: { width: 360, height: 640 } });
    await page.goto(await linkFor("anna"));
    await page.getByRole("button", { name: "Sign in" }).click();
    for (const path of ["/console/sign-in", ...screens]) {
      await page.goto(base + path);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      assert.ok(Number(wide) <= 360, `${path} is ${String(wide)} pixels wide`);
    }
    await context.close();
  });
});

/** Presses Tab until an element with this text has the focus. */
async function pressUntil(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
    if (focused === text) return;
  }
  assert.fail(`nothing with the text ${text} can be reached by Tab`);
}

const findViolations = `axe
  .run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
  .then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`;
