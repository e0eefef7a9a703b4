// Which groups are committed at the same time: at most two, both large, and without a record in common.

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
    organizationOf: () => "org",
    rowsOf: ({ rows }) => rows,
    bytesOf: () => 0,
    kindOf: () => "write",
    areIndependent: (one, other) =>
      !one.some(({ name }) => other.some((job) => job.name[0] === name[0])),
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

  it("wait for a group that has a record of theirs", async () => {
    const { submit, now, end } = makeScene();
    const done = ["a1", "a2", "b"].map((name) => submit(name, full));
    assert.deepEqual(await now(), ["a1"]);
    end("a1");
    assert.deepEqual(await now(), ["a2", "b"]);
    for (const name of ["a2", "b"]) end(name);
    await Promise.all(done);
  });

  it("share the next one while they are small", async () => {
    const { submit, now, end } = makeScene();
    const large = submit("a", full);
    assert.deepEqual(await now(), ["a"]);
    const small = [submit("b", 20), submit("c", 20)];
    assert.deepEqual(await now(), ["a"]);
    end("a");
    assert.deepEqual(await now(), ["b,c"]);
    const next = submit("d", full);
    assert.deepEqual(await now(), ["b,c"]);
    end("b,c");
    assert.deepEqual(await now(), ["d"]);
    end("d");
    await Promise.all([large, ...small, next]);
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
