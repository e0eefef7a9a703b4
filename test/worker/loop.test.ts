// The loop that repeats rounds of work.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startLoop } from "../../src/worker/loop.ts";
import { waitFor } from "../support/wait-for.ts";

const never = 3_600_000;

function ignore(): void {
  // These rounds are meant to fail.
}

describe("the loop", () => {
  it("continues at once while there is more, and then waits", async () => {
    let rounds = 0;
    const loop = startLoop(async () => (rounds += 1) < 5, {
      intervalMs: never,
      backOffMsMax: never,
      onError: ignore,
    });
    await waitFor("five rounds", () => rounds === 5);
    await loop.stop();
    assert.equal(rounds, 5);
  });

  it("starts a round at once when it is woken", async () => {
    let rounds = 0;
    const loop = startLoop(async () => (rounds += 1) < 0, {
      intervalMs: never,
      backOffMsMax: never,
      onError: ignore,
    });
    await waitFor("the first round", () => rounds === 1);
    await waitFor("a second round", () => {
      loop.wake();
      return rounds >= 2;
    });
    await loop.stop();
  });

  it("starts another round at once if it is woken during one", async () => {
    let rounds = 0;
    const loop = startLoop(
      async () => {
        await Promise.resolve();
        rounds += 1;
        if (rounds === 1) loop.wake();
        return false;
      },
      { intervalMs: never, backOffMsMax: never, onError: ignore },
    );
    await waitFor("a second round", () => rounds === 2);
    await loop.stop();
  });

  it("reports a round that fails, and tries again", async () => {
    const errors: unknown[] = [];
    let rounds = 0;
    const loop = startLoop(
      async () => {
        rounds += 1;
        if (rounds < 3) throw new Error(`round ${rounds}`);
        return false;
      },
      { intervalMs: 1, backOffMsMax: 4, onError: (error) => errors.push(error) },
    );
    await waitFor("the round that succeeds", () => rounds >= 3);
    await loop.stop();
    assert.deepEqual(errors.map(String), ["Error: round 1", "Error: round 2"]);
  });

  it("reports only the first of the rounds that fail for the same reason", async () => {
    const errors: unknown[] = [];
    let rounds = 0;
    const loop = startLoop(
      async () => {
        rounds += 1;
        throw new Error(rounds < 5 ? "away" : "refused");
      },
      { intervalMs: 1, backOffMsMax: 1, onError: (error) => errors.push(error) },
    );
    await waitFor("many rounds", () => rounds >= 10);
    await loop.stop();
    assert.deepEqual(errors.map(String), ["Error: away", "Error: refused"]);
  });

  it("waits longer after each failure", async () => {
    const options = { intervalMs: 1, backOffMsMax: never, onError: ignore };
    let [failed, passed] = [0, 0];
    const failing = startLoop(async () => {
      failed += 1;
      throw new Error("every round");
    }, options);
    const passing = startLoop(async () => (passed += 1) < 0, options);
    await waitFor("many rounds", () => passed >= 300);
    await Promise.all([failing.stop(), passing.stop()]);
    assert.ok(failed < 30, `${failed} rounds`);
  });

  it("waits after a failure as if it were the first, once a round has succeeded", async () => {
    let rounds = 0;
    const loop = startLoop(
      async () => {
        rounds += 1;
        if (rounds % 2 === 1) throw new Error("every other round");
        return true;
      },
      { intervalMs: 1, backOffMsMax: never, onError: ignore },
    );
    // Without a reset, the last of these failures alone would wait a quarter of an hour.
    await waitFor("forty rounds", () => rounds >= 40);
    await loop.stop();
  });

  it("waits in stop for the current round, tells it to end, and starts no other", async () => {
    let rounds = 0;
    let told = false;
    const begun = Promise.withResolvers<boolean>();
    const loop = startLoop(
      async (stopping) => {
        rounds += 1;
        begun.resolve(true);
        await new Promise((resolve) => stopping.addEventListener("abort", resolve));
        told = true;
        return true;
      },
      { intervalMs: 1, backOffMsMax: 1, onError: ignore },
    );
    await begun.promise;
    await loop.stop();
    assert.deepEqual({ rounds, told }, { rounds: 1, told: true });
  });

  it("does not report what a stop caused", async () => {
    const errors: unknown[] = [];
    const begun = Promise.withResolvers<boolean>();
    const loop = startLoop(
      async (stopping) => {
        begun.resolve(true);
        await new Promise((resolve) => stopping.addEventListener("abort", resolve));
        throw new Error("stopped");
      },
      { intervalMs: 1, backOffMsMax: 1, onError: (error) => errors.push(error) },
    );
    await begun.promise;
    await loop.stop();
    assert.deepEqual(errors, []);
  });
});
