// The tasks of people in a real browser, each by mouse, by keyboard alone, and without JavaScript. One browser and one service
// for all of them.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type Service, startService } from "../support/service.ts";
import { openBrowser, watchPage } from "./browser.ts";
import { handsOf, type Way } from "./hands.ts";
import { makeScene, type Scene } from "./scene.ts";
import type { Task } from "./task/task.ts";
import { tasks } from "./tasks.ts";

const ways: readonly Way[] = ["mouse", "keyboard", "no script"];

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

  async function perform(task: Task, way: Way): Promise<void> {
    const contexts: BrowserContext[] = [];
    const faults: string[] = [];
    async function open(): Promise<Page> {
      const context = await browser.newContext({ javaScriptEnabled: way !== "no script" });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      watchPage(page, scene.base, faults);
      return page;
    }
    try {
      await task.run({
        scene,
        way,
        mark: way.replace(" ", "-"),
        as: async (name) => {
          const page = await open();
          await scene.signInTo(page.context(), name);
          await page.goto(`${scene.base}/console`);
          return handsOf(page, way);
        },
        signedOut: async () => {
          const page = await open();
          if (way !== "no script") await addAuthenticator(page);
          return handsOf(page, way);
        },
      });
      assert.deepEqual(faults, []);
    } finally {
      await Promise.all(contexts.map((context) => context.close()));
    }
  }

  for (const task of tasks) {
    for (const way of ways) {
      if (way === "no script" && task.needsScript === true) continue;
      it(`can be done with ${way}: ${task.title}`, () => perform(task, way));
    }
  }
});

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
