// How many groups are committed at the same time: at most two.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as endOfTick } from "node:timers/promises";
import { GroupQueue } from "../../../src/store/postgres/commit/group-queue.ts";

interface Job {
  readonly name: string;
  readonly rows: number;
}

/** A queue whose groups end when they are told to. */
function makeScene() {
  const running = new Map<string, () => void>();
  const queue = new GroupQueue<Job, string>({
    run: async (jobs) => {
      const names = jobs.map(({ name }) => name);
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(names.join(), resolve);
      await promise;
      running.delete(names.join());
      return names;
    },
    sizeOf: ({ rows }) => ({ organizationId: "org", rows, bytes: 0 }),
    kindOf: () => "write",
    areIndependent: () => true,
  });
  return {
    queue,
    submit: (name: string, rows: number) => queue.submit({ name, rows }),
    now: async (): Promise<readonly string[]> => {
      for (let tick = 0; tick < 10; tick += 1) await endOfTick();
      return [...running.keys()];
    },
    end: (name: string) => running.get(name)?.(),
  };
}

const full = 2_000;

describe("the groups of a queue", () => {
  it("are committed two at a time if they are large and independent", async () => {
    const { submit, now, end } = makeScene();
    const done = ["a", "b", "c"].map((name) => submit(name, full));
    assert.deepEqual(await now(), ["a", "b"]);
    end("b");
    assert.deepEqual(await now(), ["a"]);
    end("a");
    assert.deepEqual(await now(), ["c"]);
    end("c");
    assert.deepEqual(await Promise.all(done), ["a", "b", "c"]);
  });

  it("have all ended when the queue is closed", async () => {
    const { queue, submit, now, end } = makeScene();
    const done = ["a", "b"].map((name) => submit(name, full));
    assert.deepEqual(await now(), ["a", "b"]);
    let closed = false;
    const closing = queue.close().then(() => (closed = true));
    end("b");
    await now();
    assert.equal(closed, false);
    end("a");
    await closing;
    await Promise.all(done);
    await assert.rejects(submit("c", 1), { name: "AppError" });
  });
});
