// Shared limits whose server is away, hangs or refuses: requests continue, each process counts
// alone, and the log says so once.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import {
  becomeShared,
  caller,
  openProcess,
  passed,
  type Process,
  startServer,
  startTwo,
} from "./sharing-process.ts";

/** The log messages about sharing, without the times. */
function story({ log }: Process, from = 0): readonly string[] {
  return log.slice(from).map((line) => {
    const { level, cause, msg } = JSON.parse(line) as {
      level: number;
      cause?: string;
      msg: string;
    };
    return cause === undefined ? `${level} ${msg}` : `${level} ${cause} ${msg}`;
  });
}

const shared = "30 rate limits are shared with other processes";
const alone = "rate limits are counted by this process alone until Redis answers in time";

describe("an unavailable server of shared limits", () => {
  it("is not needed: each process counts alone, and shares again when it is back", async (test) => {
    const { server, one } = await startTwo(test);
    const told = one.log.length;
    await server.kill();
    assert.equal(await passed(30, () => one.gate.organization(caller)), 10);
    assert.equal(one.countedAlone(), 30);
    assert.equal(one.isShared(), false);
    await server.start();
    await becomeShared(one);
    assert.equal(await passed(30, () => one.gate.organization(caller)), 10);
    assert.equal(one.countedAlone(), 30);
    const [lost, ...rest] = story(one, told);
    assert.match(lost ?? "", new RegExp(`^40 \\w+ ${alone}$`));
    assert.deepEqual(rest, [`${shared} again`]);
  });

  it("is noticed at once, without a request", async (test) => {
    const { server, one } = await startTwo(test);
    await server.kill();
    await waitFor("the loss to be noticed", () => one.isShared() === false || undefined);
    assert.equal(one.gate.organization(caller) instanceof Promise, false);
  });

  it("does not prevent a start: limits are shared as soon as it is back", async (test) => {
    const server = await startServer(test);
    await server.kill();
    const late = await openProcess(test, server);
    assert.equal((await late.gate.organization(caller)).allowed, true);
    assert.equal(late.countedAlone(), 1);
    await server.start();
    await becomeShared(late);
    assert.deepEqual(story(late), [`40 ECONNREFUSED ${alone}`, `${shared} again`]);
  });
});

describe("a failing server of shared limits", () => {
  it("delays no request when it hangs", async (test) => {
    const server = await startServer(test);
    const one = await openProcess(test, server, { rateLimitRedisTimeoutMs: 1_000 });
    await becomeShared(one);
    const told = one.log.length;
    server.behave("hang");
    assert.equal(await passed(30, () => one.gate.organization(caller)), 10);
    assert.equal(one.gate.organization(caller) instanceof Promise, false);
    assert.equal(one.countedAlone(), 31);
    assert.deepEqual(story(one, told), [`40 late ${alone}`]);
    server.behave("answer");
    await becomeShared(one);
  });

  it("delays no start when it hangs", async (test) => {
    const server = await startServer(test);
    server.behave("hang");
    const one = await openProcess(test, server);
    assert.equal((await one.gate.organization(caller)).allowed, true);
    assert.deepEqual(story(one), [`40 late ${alone}`]);
  });

  it("is not used when it refuses, until several trials have succeeded", async (test) => {
    const { server, one } = await startTwo(test);
    const told = one.log.length;
    server.behave("refuse");
    assert.equal(await passed(30, () => one.gate.organization(caller)), 10);
    assert.deepEqual(story(one, told), [`40 OOM ${alone}`]);
    server.behave("answer");
    await becomeShared(one);
  });

  it("reveals no password, neither right nor wrong", async (test) => {
    const { server, one } = await startTwo(test);
    const wrong = "also-not-to-be-shown";
    const refused = await openProcess(test, server, {
      rateLimitRedisUrl: `redis://default:${wrong}@127.0.0.1:${server.port}`,
    });
    assert.deepEqual(story(refused), [`40 WRONGPASS ${alone}`]);
    await server.kill();
    await waitFor("the loss to be noticed", () => one.isShared() === false || undefined);
    assert.doesNotMatch([...one.log, ...refused.log].join(""), /not-to-be-shown/);
  });
});
