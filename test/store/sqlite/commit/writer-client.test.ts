// The writer thread as its clients see it: batching, matching of answers, rejections, and what
// happens when the thread fails.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as endOfTick } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { limits } from "../../../../src/domain/limits.ts";
import type { RecordWrite } from "../../../../src/domain/record/record-write.ts";
import {
  flattenResult,
  type Result,
  type TicketedJob,
  unflattenJobs,
} from "../../../../src/store/sqlite/commit/job.ts";
import {
  startWriterThread,
  type ToWriter,
  useWriterThread,
  WriterClient,
} from "../../../../src/store/sqlite/commit/writer-client.ts";
import { acme, transaction } from "../../../conformance/scene.ts";
import { makePlace } from "../place.ts";

/** A client whose messages are recorded, to be answered by the test. */
function makeClient() {
  const messages: (readonly TicketedJob[])[] = [];
  const client = new WriterClient({
    postMessage: (message: ToWriter) => {
      if (Array.isArray(message)) messages.push(unflattenJobs(message));
    },
  });
  const answer = (...results: readonly (readonly [ticket: number, result: Result])[]): void => {
    const answers: unknown[] = [];
    for (const [ticket, result] of results) flattenResult(answers, ticket, result);
    client.take(answers);
  };
  return { client, messages, answer };
}

function write(id = "t", length = 1): RecordWrite {
  const drafts = Array.from({ length }, (_, index) => transaction(`${id}${index}`));
  const context = { organizationId: acme, resourceType: "transaction", receivedAt: 1 };
  return { ...context, mode: "add", lenient: true, drafts };
}

describe("a client of the writer", () => {
  it("sends all requests of one event-loop tick in one message", async () => {
    const { client, messages } = makeClient();
    void client.submit(write());
    void client.submit(write());
    await endOfTick();
    void client.submit(write());
    await endOfTick();
    assert.deepEqual(
      messages.map((jobs) => jobs.map(({ ticket }) => ticket)),
      [[0, 1], [2]],
    );
  });

  it("assigns each job its own result, in any order of results", async () => {
    const { client, answer } = makeClient();
    const submitted = ["a", "b", "c"].map((id) => client.submit(write(id)));
    await endOfTick();
    answer([2, { ok: true, value: "third" }], [0, { ok: true, value: "first" }]);
    answer([1, { ok: false, error: new Error("refused") }]);
    const [first, second, third] = await Promise.allSettled(submitted);
    assert.deepEqual(first, { status: "fulfilled", value: "first" });
    assert.equal(second?.status, "rejected");
    assert.deepEqual(third, { status: "fulfilled", value: "third" });
  });

  it("rejects what is beyond its bound, and accepts more when there is room", async () => {
    const { client, answer } = makeClient();
    for (let count = 0; count < limits.queuedWritesMax; count += 1) void client.submit(write());
    await assert.rejects(client.submit(write()), {
      errorName: "unavailable",
      retryAfterSeconds: 1,
    });
    await endOfTick();
    answer([0, { ok: true, value: 0 }]);
    const one = client.submit(write());
    await endOfTick();
    // The ticket of the job that was answered.
    answer([0, { ok: true, value: "taken" }]);
    assert.equal(await one, "taken");
  });
});

async function openThread(test: TestContext) {
  const { path } = makePlace(test);
  const figures: number[] = [];
  const thread = await startWriterThread(path, {
    onGroup: ({ writes }) => figures.push(writes),
    onAnswer: () => undefined,
  });
  return { thread, figures };
}

describe("the writer thread", () => {
  it("serves a second client in the same way as the first, and closes for both", async (test) => {
    const { thread, figures } = await openThread(test);
    const port = thread.connect();
    const second = new WriterClient(port);
    port.on("message", ({ answers }: { answers: readonly unknown[] }) => second.take(answers));
    const outcomes = await Promise.all([
      thread.submit(write("a")),
      second.submit(write("b")),
      second.submit(write("a")),
    ]);
    assert.deepEqual(outcomes.map((outcome) => (outcome as { drafts: string }).drafts).toSorted(), [
      "c",
      "c",
      "i",
    ]);
    assert.equal(
      figures.reduce((sum, writes) => sum + writes, 0),
      3,
    );
    await second.close();
    await thread.close();
  });

  it("forgets a client whose thread has ended", async (test) => {
    const { thread } = await openThread(test);
    const port = thread.connect();
    port.close();
    await thread.submit({ name: "ping", args: [] });
    await thread.close();
  });
});

describe("a writer thread that dies", () => {
  const options = { onGroup: undefined, onAnswer: () => undefined };

  it("rejects everything that it did not answer, then and later", async () => {
    const code = `
      const { parentPort } = require("node:worker_threads");
      parentPort.postMessage({ ready: true });
      parentPort.on("message", () => { throw new Error("broken"); });`;
    const thread = await useWriterThread(new Worker(code, { eval: true }), options);
    const stopped = { name: "StoreError", message: /writer has stopped/ };
    await assert.rejects(thread.submit(write()), stopped);
    await assert.rejects(thread.submit(write()), stopped);
    await thread.close();
  });

  it("reports why it could not start", async () => {
    const code = `throw new Error("no such disk");`;
    await assert.rejects(useWriterThread(new Worker(code, { eval: true }), options), {
      name: "StoreError",
    });
  });
});
