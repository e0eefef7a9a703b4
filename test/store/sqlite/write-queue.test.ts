// Group commit without a store: what goes together, in which order, what is refused, and what happens when the writer fails.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { limits } from "../../../src/domain/limits.ts";
import type { RecordWrite } from "../../../src/domain/record-write.ts";
import { isOperation, type Job, type Result } from "../../../src/store/sqlite/job.ts";
import { type Runner, runInThread } from "../../../src/store/sqlite/runner.ts";
import { WriteQueue } from "../../../src/store/sqlite/write-queue.ts";
import { transaction } from "../../conformance/scene.ts";

interface ManualRunner extends Runner {
  readonly groups: (readonly Job[])[];
  /** Answers the group under way, each job with its place in all that was run. */
  answer(): Promise<void>;
  fail(error: Error): Promise<void>;
  closed: boolean;
}

/** Long enough for the queue to start its next group. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await endOfTurn();
}

function manualRunner(): ManualRunner {
  let underWay: PromiseWithResolvers<readonly Result[]> | undefined;
  let answered = 0;
  return {
    groupsAtOnce: 1,
    groups: [],
    closed: false,
    run(jobs) {
      assert.equal(underWay, undefined, "one group at a time");
      this.groups.push(jobs);
      underWay = Promise.withResolvers();
      return underWay.promise;
    },
    async close() {
      this.closed = true;
    },
    async answer() {
      await settled();
      const group = this.groups.at(-1) ?? [];
      const waiting = underWay;
      underWay = undefined;
      waiting?.resolve(group.map(() => ({ ok: true, value: (answered += 1) })));
      await settled();
    },
    async fail(error) {
      await settled();
      const waiting = underWay;
      underWay = undefined;
      waiting?.reject(error);
      await settled();
    },
  };
}

function list(length: number): RecordWrite {
  const drafts = Array.from({ length }, () => transaction("t"));
  const context = { organizationId: "o", resourceType: "transaction", receivedAt: 1 };
  return { ...context, mode: "add", lenient: true, drafts };
}

function sizes(groups: readonly (readonly Job[])[]): readonly number[] {
  return groups.map((group) => group.length);
}

describe("the write queue", () => {
  it("sends together what comes in one turn, and then what came meanwhile, in order", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const first = [queue.submit(list(1)), queue.submit(list(1))];
    await settled();
    assert.deepEqual(sizes(runner.groups), [2]);
    const second = [1, 2, 3].map(() => queue.submit(list(1)));
    await runner.answer();
    assert.deepEqual(sizes(runner.groups), [2, 3]);
    await runner.answer();
    assert.deepEqual(await Promise.all([...first, ...second]), [1, 2, 3, 4, 5]);
  });

  it("hands the next group over before the first is answered, where the runner takes it", async () => {
    const answers: PromiseWithResolvers<readonly Result[]>[] = [];
    const runner: Runner = {
      groupsAtOnce: 2,
      run: () => {
        const answer = Promise.withResolvers<readonly Result[]>();
        answers.push(answer);
        return answer.promise;
      },
      close: async () => undefined,
    };
    const queue = new WriteQueue(runner);
    const submitted: Promise<unknown>[] = [];
    for (let count = 0; count < 4; count += 1) {
      submitted.push(queue.submit(list(1)));
      await settled();
    }
    assert.equal(answers.length, 2);
    answers[0]?.resolve([{ ok: true, value: "first" }]);
    await settled();
    assert.equal(answers.length, 3);
    answers[1]?.resolve([{ ok: true, value: "second" }]);
    answers[2]?.resolve([
      { ok: true, value: "third" },
      { ok: true, value: "fourth" },
    ]);
    assert.deepEqual(await Promise.all(submitted), ["first", "second", "third", "fourth"]);
    await queue.close();
  });

  it("bounds a group by writes and by items, and takes one that is larger by itself", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const third = Math.floor(limits.groupItemsMax / 3);
    const submitted = [third, third, third, third, limits.groupItemsMax + 1, 1].map((length) =>
      queue.submit(list(length)),
    );
    for (let count = 0; count < limits.groupWritesMax; count += 1)
      submitted.push(queue.submit(list(1)));
    for (let count = 0; count < 5; count += 1) await runner.answer();
    assert.deepEqual(sizes(runner.groups), [3, 1, 1, limits.groupWritesMax, 1]);
    assert.equal((await Promise.all(submitted)).length, 6 + limits.groupWritesMax);
  });

  it("runs alone what has to run alone, between its neighbours", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const submitted = [
      queue.submit(list(1)),
      queue.submit({ name: "releaseFile", args: undefined }),
      queue.submit({ name: "ping", args: undefined }),
      queue.submit(list(1)),
    ];
    for (let count = 0; count < 3; count += 1) await runner.answer();
    assert.deepEqual(
      runner.groups.map((group) => group.map((job) => (isOperation(job) ? job.name : "write"))),
      [["write"], ["releaseFile"], ["ping", "write"]],
    );
    await Promise.all(submitted);
  });

  it("refuses what is beyond its bound, and takes more when there is room", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const submitted = Array.from({ length: limits.queuedWritesMax }, () => queue.submit(list(1)));
    await assert.rejects(queue.submit(list(1)), { errorName: "unavailable", retryAfterSeconds: 1 });
    await settled();
    submitted.push(queue.submit(list(1)));
    while (sizes(runner.groups).reduce((sum, size) => sum + size, 0) < submitted.length) {
      await runner.answer();
    }
    await runner.answer();
    assert.equal((await Promise.all(submitted)).length, limits.queuedWritesMax + 1);
  });

  it("rejects the group that the writer failed in, and goes on with the next", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const failed = Promise.allSettled([queue.submit(list(1)), queue.submit(list(1))]);
    await settled();
    const next = queue.submit(list(1));
    await runner.fail(new Error("the disk is gone"));
    for (const result of await failed) {
      assert.ok(result.status === "rejected" && /disk is gone/.test(String(result.reason)));
    }
    await runner.answer();
    assert.equal(await next, 1);
  });

  it("finishes everything before it closes the runner", async () => {
    const runner = manualRunner();
    const queue = new WriteQueue(runner);
    const first = queue.submit(list(1));
    await settled();
    const second = queue.submit(list(1));
    const closed = queue.close();
    await assert.rejects(queue.submit(list(1)), { errorName: "unavailable" });
    await runner.answer();
    assert.equal(runner.closed, false);
    await runner.answer();
    await closed;
    assert.deepEqual(await Promise.all([first, second]), [1, 2]);
    assert.equal(runner.closed, true);
  });
});

describe("a writer's thread that dies", () => {
  it("has everything rejected that it did not answer, then and later", async () => {
    const code = `
      const { parentPort } = require("node:worker_threads");
      parentPort.postMessage({ ready: true });
      parentPort.on("message", () => { throw new Error("broken"); });`;
    const runner = await runInThread(new Worker(code, { eval: true }), undefined);
    const queue = new WriteQueue(runner);
    const stopped = { name: "StoreError", message: /writer has stopped/ };
    await assert.rejects(queue.submit(list(1)), stopped);
    await assert.rejects(queue.submit(list(1)), stopped);
    await queue.close();
  });

  it("before it is ready says why it could not start", async () => {
    const code = `throw new Error("no such disk");`;
    await assert.rejects(runInThread(new Worker(code, { eval: true }), undefined), {
      name: "StoreError",
    });
  });
});
