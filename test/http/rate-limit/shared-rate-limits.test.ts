// Limits that processes share: together they allow as much as one would, and clients get the same
// headers.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import type { RateGate } from "../../../src/http/rate-limit/rate-limit.ts";
import { startRespServer } from "../../support/redis/resp-server.ts";
import {
  becomeShared,
  caller,
  callerOf,
  openProcess,
  passed,
  type Process,
  startServer,
  startTwo,
} from "../sharing-process.ts";

describe("processes that share their limits", () => {
  it("allow together what one limit allows", async (test) => {
    const { one, two } = await startTwo(test);
    const gates = [one.gate, two.gate];
    const gateOf = (index: number): RateGate => gates[index % 2] ?? one.gate;
    assert.equal(await passed(40, (index) => gateOf(index).organization(caller)), 10);
    assert.equal(await passed(90, (index) => gateOf(index).tokenIssuing("key")), 60);
    assert.equal(await passed(40, (index) => gateOf(index).failedAuthentication("::1")), 20);
    assert.equal(one.countedAlone() + two.countedAlone(), 0);
  });

  it("send the same remainder to a client in every process", async (test) => {
    const { one, two } = await startTwo(test);
    const told = [
      await one.gate.organization(caller),
      await two.gate.organization(caller),
      await one.gate.failedAuthentication("::1"),
      await two.gate.failuresLeft("::1"),
      await one.gate.failuresLeft("::1"),
    ];
    assert.deepEqual(
      told.map(({ headers }) => [headers?.rateLimit, headers?.rateLimitPolicy]),
      [
        ['"organization";r=9;t=1', '"organization";q=10;w=2'],
        ['"organization";r=8;t=1', '"organization";q=10;w=2'],
        ['"failed-authentication";r=19;t=3', '"failed-authentication";q=20;w=60'],
        ['"failed-authentication";r=19;t=3', '"failed-authentication";q=20;w=60'],
        ['"failed-authentication";r=19;t=3', '"failed-authentication";q=20;w=60'],
      ],
    );
  });

  it("use the clock of the server: the stated wait works, whatever their own clocks say", async (test) => {
    const { server, one, two } = await startTwo(test);
    await passed(60, () => one.gate.tokenIssuing("key"));
    const refused = await two.gate.tokenIssuing("key");
    assert.equal(refused.allowed, false);
    server.clock.advanceMs(refused.retryAfterSeconds * 1_000);
    assert.equal((await one.gate.tokenIssuing("key")).allowed, true);
    assert.equal((await two.gate.tokenIssuing("key")).allowed, false);
  });

  it("respect the limit of an organization that has its own, and send no request where it has none", async (test) => {
    const { server, one, two } = await startTwo(test);
    const own = callerOf("own", 2);
    const gates = [one.gate, two.gate];
    assert.equal(await passed(9, (index) => (gates[index % 2] ?? one.gate).organization(own)), 4);
    const before = server.commands.length;
    assert.equal(await passed(9, () => one.gate.organization(callerOf("free", 0))), 9);
    assert.equal(server.commands.length, before);
  });

  it("share nothing with processes of another store", async (test) => {
    const { server, one } = await startTwo(test);
    const other = await openProcess(test, server, { scope: "other store" });
    await becomeShared(other);
    assert.equal(await passed(20, () => one.gate.organization(caller)), 10);
    assert.equal(await passed(20, () => other.gate.organization(caller)), 10);
  });

  it("send one request each time, and the script only to a server that lacks it", async (test) => {
    const { server, one } = await startTwo(test);
    const before = server.commands.length;
    await passed(5, () => one.gate.organization(caller));
    assert.deepEqual(server.commands.slice(before), Array(5).fill("EVALSHA"));
    server.run(["SCRIPT", "FLUSH"]);
    await one.gate.organization(caller);
    assert.deepEqual(server.commands.slice(before + 5), ["EVALSHA", "EVAL"]);
    assert.equal(await passed(20, () => one.gate.organization(caller)), 4);
    assert.equal(one.countedAlone(), 0);
  });

  it("leave only keys that expire, and that name nobody", async (test) => {
    const { server, one } = await startTwo(test);
    await one.gate.organization(caller);
    await one.gate.tokenIssuing("key_of_acme");
    await one.gate.failedAuthentication("192.0.2.1");
    const keys = server.run(["KEYS", "*"]);
    assert.ok(Array.isArray(keys));
    assert.equal(keys.length, 4);
    for (const key of keys) {
      assert.match(String(key), /^sluice:rate:[a-z-]+:[\w-]{43}$/);
      assert.ok(Number(server.run(["PTTL", String(key)])) > 0);
    }
    server.clock.advanceMs(61_000);
    assert.deepEqual(server.run(["KEYS", "*"]), []);
  });
});

describe("a process without Redis", () => {
  const own = { rateLimitRedisUrl: undefined };

  it("answers synchronously, without a promise", async (test) => {
    const server = await startServer(test);
    const { gate, isShared, countedAlone, log } = await openProcess(test, server, own);
    const answers = [
      gate.organization(caller),
      gate.tokenIssuing("key"),
      gate.failedAuthentication("::1"),
      gate.failuresLeft("::1"),
    ];
    for (const answer of answers) assert.equal(answer instanceof Promise, false);
    assert.deepEqual([isShared(), countedAlone(), log.length], [undefined, 0, 0]);
    assert.equal(server.commands.length, 0);
  });

  it("sends no request where every limit is off, either", async (test) => {
    const server = await startServer(test);
    const { gate } = await openProcess(test, server, { rateLimitPerSecond: 0 });
    assert.equal(gate.organization(caller) instanceof Promise, false);
    assert.equal(server.commands.length, 0);
  });
});

// A clock that can't be moved: the test allows for what a bucket gains meanwhile.
const { SLUICE_TEST_REDIS_URL: named } = process.env;

/** Returns the URL of a server of the test's own, or of the one that is named. */
type FindServer = (test: TestContext) => Promise<string>;

const servers: Readonly<Record<string, FindServer>> = {
  "the stand-in": async (test) => {
    const server = await startRespServer();
    test.after(() => server.kill());
    return `redis://127.0.0.1:${server.port}/0`;
  },
  ...(named === undefined ? {} : { "the server that is named": async () => named }),
};

async function startOn(test: TestContext, find: FindServer): Promise<readonly Process[]> {
  const given = { scope: randomUUID(), rateLimitRedisUrl: await find(test) };
  const open = (): Promise<Process> => openProcess(test, { port: 0 }, given);
  const processes = await Promise.all([open(), open()]);
  for (const each of processes) await becomeShared(each);
  return processes;
}

for (const [server, find] of Object.entries(servers)) {
  describe(`limits that are shared on ${server}`, () => {
    it("allow what one limit allows, and what it gains meanwhile", async (test) => {
      const processes = await startOn(test, find);
      const began = performance.now();
      const found = await passed(200, async (index) => {
        const limited = processes[index % 2]?.gate.tokenIssuing("key");
        assert.ok(limited instanceof Promise);
        return await limited;
      });
      const gained = Math.ceil((performance.now() - began) / 1_000);
      assert.ok(found >= 60 && found <= 60 + gained, `${found} passed, ${gained} gained at most`);
      for (const { countedAlone } of processes) assert.equal(countedAlone(), 0);
    });
  });
}
