// What a serving process does besides requests and deletions, on a real store.

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import type { Organization } from "../../src/domain/access.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { purgePauseMs, startUpkeep } from "../../src/worker/upkeep.ts";
import { acme, keyOf, operator as act, transaction } from "../conformance/scene.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { testEnvironment } from "../support/service.ts";
import { StoreFaults } from "../support/store-faults.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { withActs } from "../support/test-store.ts";
import { atEnd } from "../support/at-end.ts";
import { waitFor } from "../support/wait-for.ts";

const identity = {
  organizationId: "acme",
  organizationName: "Acme",
  keyId: "key_1",
  actor: "key_1",
  expiresAt: Number.POSITIVE_INFINITY,
  covered: new Set<never>(),
  confidential: new Set<never>(),
  rateLimitPerSecond: undefined,
  deletionGraceSeconds: 0,
};

const folder = makeTempFolder();
const config = readConfig(testEnvironment(folder));
const clock = makeFakeClock();
const lines: string[] = [];
const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
const faults = new StoreFaults();

const opened = await openApp(config, { role: "serve", now: clock.now });
const app = { ...opened, store: faults.wrap(opened.store) };
after(() => opened.close());
beforeEach(() => {
  lines.length = 0;
});

async function cacheCaller(): Promise<void> {
  app.callers.keep("hash", identity, await opened.store.credentialsVersion());
}

function waitForEmptyCache(): Promise<unknown> {
  return waitFor("the caller to be forgotten", () => app.callers.find("hash") === undefined);
}

/** Without a timer, for a test that stops all of them. */
async function takeTurns(turnsMax: number, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsMax && !isDone(); turn += 1) await nextTurn();
}

function warned(): readonly string[] {
  return lines.filter((line) => line.includes("processing for long"));
}

describe("upkeep", () => {
  it("warns of a deletion that is processing for long, once", async () => {
    const store = withActs(opened.store);
    await store.write(transaction("t"));
    const deletionRequestId = await store.request(keyOf("transaction", "t"), { now: clock.now() });
    const startedAt = clock.now();
    await store.claim(startedAt);
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    clock.advanceMs(15 * 60_000);
    await waitFor("the warning", () => warned().length > 0);
    await upkeep.stop();
    const { long } = JSON.parse(warned()[0] ?? "{}") as { long: object[] };
    assert.deepEqual(long, [{ deletionRequestId, organizationId: acme, startedAt }]);
    assert.equal(warned().length, 1);
    await store.finish(deletionRequestId);
  });

  it("knows the credentials version before it resolves, so that callers can be cached", async () => {
    const upkeep = await startUpkeep(app, log);
    await cacheCaller();
    assert.equal(app.callers.find("hash"), identity);
    await upkeep.stop();
  });

  it("forgets callers when credentials change in another process", async () => {
    const upkeep = await startUpkeep(app, log);
    await cacheCaller();
    const operator = await openApp(config, { role: "command", now: clock.now });
    await createOrganization(operator, { name: "Acme", organizationId: "acme" });
    await operator.close();
    await waitForEmptyCache();
    await upkeep.stop();
  });

  it("finds nobody cached while the version can't be read, and does so again afterwards", async () => {
    const upkeep = await startUpkeep(app, log);
    await cacheCaller();
    const restore = faults.break("credentialsVersion", new Error("no answer"));
    await waitForEmptyCache();
    await cacheCaller();
    assert.equal(app.callers.find("hash"), undefined);
    restore();
    await waitFor("a caller to be cached", async () => {
      await cacheCaller();
      return app.callers.find("hash");
    });
    await upkeep.stop();
    assert.match(lines.join(""), /"no answer".*reading the credentials version failed/);
  });

  it("purges by the clock, logs a failure, and continues with the next round", async () => {
    const purgedAt: number[] = [];
    faults.replace("purgeExpired", (now) => {
      purgedAt.push(now);
      return purgedAt.length === 1
        ? Promise.reject(new Error("busy"))
        : opened.store.purgeExpired(now);
    });
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    await waitFor("a round after the failure", () => purgedAt.length > 2);
    await upkeep.stop();
    assert.deepEqual(new Set(purgedAt), new Set([clock.now()]));
    const failures = lines.filter((line) => line.includes("purging"));
    assert.equal(failures.length, 1);
    assert.match(failures[0] ?? "", /"busy"/);
  });

  it("purges on at once while there may be more", async () => {
    let parts = 0;
    faults.replace("purgeExpired", async () => {
      parts += 1;
      return parts < 4;
    });
    const upkeep = await startUpkeep(app, log, { intervalMs: 60_000 });
    await waitFor("four parts in one round", () => parts === 4);
    await upkeep.stop();
  });

  it("warns of records that a ceiling erases within a day of their arrival", async (test) => {
    await createOrganization(opened, { name: "Late", organizationId: "late" });
    await changeOrganization(opened, "late", { retainDays: 365 });
    const write = { organizationId: "late", receivedAt: clock.now() };
    const old = { timestamp: "2001-01-01T00:00:00Z" };
    await withActs(opened.store).write(transaction("t", old), write);
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    atEnd(test, () => upkeep.stop());
    const warning =
      /"recent":1,"msg":"retention queued deletions of records that arrived within a day"/;
    await waitFor("the warning", () => warning.test(lines.join("")) || undefined);
  });

  it("continues to apply retention where the round before has ended", async (test) => {
    const made = await opened.store.findOrganization("acme");
    const organizations = ["acme", "zenith"].map(
      (organizationId) => ({ ...made, organizationId, retainDays: 1 }) as Organization,
    );
    const next = { organizationId: "acme", resourceType: "person", resourceId: "last" };
    const places: unknown[] = [];
    faults.replace("listOrganizations", async () => organizations);
    faults.replace("findOrganization", async (id) =>
      organizations.find(({ organizationId }) => organizationId === id),
    );
    faults.replace("findExpired", async ({ organizationId, after: place }) => {
      places.push([organizationId, place]);
      const more = places.length === 1 ? next : undefined;
      return { expired: [], next: more, dueFrom: Infinity, isEmpty: false };
    });
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    atEnd(test, () => upkeep.stop());
    await waitFor("a third round", () => places.length > 2);
    const inTurn = [
      ["acme", undefined],
      ["acme", next],
      ["zenith", undefined],
    ];
    assert.deepEqual(places.slice(0, 3), inTurn);
  });

  it("pauses between two parts of retention", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const made = await opened.store.findOrganization("acme");
    const organization = { ...made, organizationId: "acme", retainDays: 1 } as Organization;
    const next = { organizationId: "acme", resourceType: "person", resourceId: "last" };
    let parts = 0;
    faults.replace("listOrganizations", async () => [organization]);
    faults.replace("findOrganization", async () => organization);
    faults.replace("findExpired", async () => {
      parts += 1;
      return { expired: [], next, dueFrom: Infinity, isEmpty: false };
    });
    const upkeep = await startUpkeep(app, log);
    atEnd(test, () => upkeep.stop());
    await takeTurns(10_000, () => parts > 0);
    await takeTurns(100, () => parts > 1);
    assert.equal(parts, 1);
    // The pause may not have begun yet.
    await takeTurns(10_000, () => {
      if (parts === 1) test.mock.timers.tick(purgePauseMs);
      return parts > 1;
    });
    assert.equal(parts, 2);
  });

  it("ends holds whose last day is over", async () => {
    await createOrganization(opened, { name: "Held", organizationId: "held" });
    const store = withActs(opened.store);
    await store.write(transaction("t"), { organizationId: "held" });
    const key = keyOf("transaction", "t", "held");
    const past = { reason: "r", owner: undefined, reviewOn: undefined, endsOn: "2026-05-31" };
    await store.holds.place({ ...key, ...past, holdId: "hold_past" }, act);
    const next = { ...past, endsOn: "2026-06-01", holdId: "hold_next" };
    await store.holds.place({ ...key, ...next }, act);
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    await waitFor("the end of a hold", async () => !(await store.holds.find("hold_past")));
    await upkeep.stop();
    assert.equal((await store.holds.find("hold_next"))?.endsOn, "2026-06-01");
    assert.match(lines.join(""), /"ended":1,"msg":"legal holds have ended"/);
  });

  it("logs each failed round of retention, and tries again", async () => {
    faults.replace("listOrganizations", () => Promise.reject(new Error("no list")));
    const upkeep = await startUpkeep(app, log, { intervalMs: 5 });
    await waitFor(
      "two failed rounds",
      () => lines.filter((line) => line.includes("applying retention failed")).length > 1,
    );
    await upkeep.stop();
  });
});
