// How often the store is asked whether it accepts writes, and how its answers are used.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeReadiness } from "../../../src/http/public/health.ts";
import { waitFor } from "../../support/wait-for.ts";

const full = new Error("the disk is full");

/** A store that answers when it is told to; `failure` is its answer. */
function makeStore() {
  const waiting: (() => void)[] = [];
  const store = { asked: 0, failure: undefined as Error | undefined, isPrompt: true };
  const probe = async (): Promise<void> => {
    store.asked += 1;
    if (!store.isPrompt) await new Promise<void>((resolve) => void waiting.push(resolve));
    if (store.failure !== undefined) throw store.failure;
  };
  const answer = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { store, probe, answer };
}

describe("readiness", () => {
  it("asks the store once for all concurrent requests, and caches the answer for a time", async () => {
    const { store, probe, answer } = makeStore();
    store.isPrompt = false;
    const findFailure = makeReadiness({ probe, onChange: () => undefined, keptMs: 100_000 });
    const checks = Array.from({ length: 50 }, () => findFailure());
    answer();
    await Promise.all(checks);
    await Promise.all(Array.from({ length: 50 }, () => findFailure()));
    assert.equal(store.asked, 1);
  });

  it("asks again when the time is over, and reports each change once", async () => {
    const { store, probe } = makeStore();
    const changes: unknown[] = [];
    const onChange = (failure: unknown): void => void changes.push(failure);
    const findFailure = makeReadiness({ probe, onChange, keptMs: 0 });
    await findFailure();
    store.failure = full;
    for (let count = 0; count < 3; count += 1) {
      assert.ok((await findFailure()) instanceof Error);
    }
    store.failure = undefined;
    for (let count = 0; count < 3; count += 1) assert.equal(await findFailure(), undefined);
    assert.deepEqual(changes, [full, undefined]);
    assert.equal(store.asked, 7);
  });

  it("does not wait for a store that hangs, and does not ask it a second time meanwhile", async () => {
    const { store, probe, answer } = makeStore();
    store.isPrompt = false;
    const findFailure = makeReadiness({
      probe,
      onChange: () => undefined,
      keptMs: 0,
      timeoutMs: 1,
    });
    for (let count = 0; count < 3; count += 1) {
      assert.ok((await findFailure()) instanceof Error);
    }
    assert.equal(store.asked, 1);
    store.isPrompt = true;
    answer();
    await waitFor("readiness", async () => (await findFailure()) === undefined);
  });
});
