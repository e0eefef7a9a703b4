// The tasks of people in a real browser, each by keyboard alone in a wide window and by mouse in a narrow one, and some
// without JavaScript: the tests over HTTP send every form without it. No task takes more clicks and fields than it
// says; how many it takes is printed. One browser and one service for all of them, and for each way one page for each
// person.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Service, startService } from "../support/service.ts";
import { openBrowser, watchPage } from "./browser.ts";
import { type Effort, handsOf, type Way, ways } from "./hands.ts";
import { makeScene, type Scene } from "./scene.ts";
import type { Task } from "./task/task.ts";
import { tasks } from "./tasks.ts";

function waysOf({ withoutScript }: Task): readonly Way[] {
  return ["keyboard", "mouse", ...(withoutScript === true ? (["no script"] as const) : [])];
}

describe("a task in the console", () => {
  let service: Service;
  let scene: Scene;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    scene = await makeScene(service);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const faults: string[] = [];
  async function open(way: Way): Promise<Page> {
    const viewport = { width: ways[way], height: 800 };
    const context = await browser.newContext({ viewport, javaScriptEnabled: way !== "no script" });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    watchPage(page, scene.base, faults);
    return page;
  }

  const pages = new Map<string, Promise<Page>>();
  async function openFor(way: Way, name: string): Promise<Page> {
    const page = await open(way);
    await scene.signInTo(page.context(), name);
    return page;
  }

  async function perform(task: Task, way: Way): Promise<Effort> {
    const effort = { clicks: 0, fields: 0 };
    const own: Page[] = [];
    await task.run({
      scene,
      way,
      as: async (name) => {
        const key = `${name} ${way}`;
        const known = pages.get(key) ?? openFor(way, name);
        pages.set(key, known);
        const page = await known;
        // Requests of an address are limited by time.
        service.clock.advanceMs(60_000);
        // A page that follows a change may just be loading again by itself, which interrupts this.
        const goHome = () => page.goto(`${scene.base}/console`);
        await goHome().catch(goHome);
        return handsOf(page, way, effort);
      },
      signedOut: async () => {
        const page = await open(way);
        own.push(page);
        if (way !== "no script") await addAuthenticator(page);
        return handsOf(page, way, effort);
      },
    });
    await Promise.all(own.map((page) => page.context().close()));
    assert.deepEqual(faults.splice(0), []);
    return effort;
  }

  for (const task of tasks) {
    for (const way of waysOf(task)) {
      it(`can be done with ${way} at ${ways[way]} px: ${task.title}`, async (test) => {
        const effort = await perform(task, way);
        test.diagnostic(describeEffort(task, way, effort));
        requireAtMost(task, way, effort);
      });
    }
  }
});

function describeEffort({ title }: Task, way: Way, { clicks, fields }: Effort): string {
  return `${ways[way]} px, clicks ${clicks}, fields ${fields}: ${title}`;
}

function requireAtMost({ most }: Task, way: Way, { clicks, fields }: Effort): void {
  const [wide, narrow, fieldsMax] = most;
  assert.ok(clicks <= (way === "mouse" ? narrow : wide), `${clicks} clicks`);
  assert.ok(fields <= fieldsMax, `${fields} fields`);
}

/** A virtual one, which agrees to everything. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
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
}
