// Calls between threads: their answers, their errors, and what the end of a thread means for them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import { Calls } from "../../src/basics/thread.ts";

type Own = {
  readonly add: (one: number, other: number) => Promise<number>;
  readonly refuse: () => never;
  readonly make: () => () => void;
  readonly double: (value: number) => number;
};

const load = async () => ({ double: (value: number) => value * 2 });

function connect() {
  const { port1, port2 } = new MessageChannel();
  const held = Promise.withResolvers<void>();
  const own = {
    add: async (one: number, other: number) => {
      await held.promise;
      return one + other;
    },
    make: () => () => undefined,
    refuse: () => {
      throw new Error("refused");
    },
  };
  const onClose = () => port2.close();
  new Calls({ start: () => port2, own, load, onClose }).open();
  const calls = new Calls<Own>({ start: () => port1, closed: () => new Error("closed") });
  port1.on("close", () => port1.emit("exit", 0));
  return { calls: calls.open(), release: held.resolve };
}

describe("a call of a thread", () => {
  it("gets the answer to it, whichever comes first, or the error", async () => {
    const { calls, release } = connect();
    const sum = calls.call("add", [1, 2]);
    assert.equal(await calls.call("double", [4]), 8);
    await assert.rejects(calls.call("refuse", []), /refused/);
    await assert.rejects(calls.call("make", []), /could not be cloned/);
    // Nothing waits for an answer to what could not be sent, and would be rejected unheard at the end.
    assert.throws(() => calls.call("double", [(() => 4) as never]), /could not be cloned/);
    release();
    assert.equal(await sum, 3);
    await calls.close();
  });

  it("is answered before the thread ends, and refused after that was asked", async () => {
    const { calls, release } = connect();
    const sum = calls.call("add", [1, 2]);
    const closed = calls.close();
    assert.throws(() => calls.open(), /closed/);
    // Messages arrive in order, so the other side has been asked for its end.
    assert.equal(await calls.call("double", [4]), 8);
    release();
    assert.equal(await sum, 3);
    await closed;
  });

  it("is rejected when the thread ends by itself, and the next one starts another", async () => {
    const code = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", (message) => {
        if (message === null) return parentPort.close();
        if (message.call === "refuse") throw new Error("broken");
        parentPort.postMessage({ id: message.id, value: message.args[0] * 2 });
      });`;
    const calls = new Calls<Own>({
      start: () => new Worker(code, { eval: true }),
      ended: (cause) => cause,
    });
    await assert.rejects(calls.open().call("refuse", []), /broken/);
    await assert.rejects(calls.call("double", [4]), /broken/);
    assert.equal(await calls.open().call("double", [4]), 8);
    await calls.close();
  });

  it("is rejected if the thread ends without its answer while it is being closed, and afterwards", async () => {
    const code = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", (message) => message === null && parentPort.close());`;
    const calls = new Calls<Own>({
      start: () => new Worker(code, { eval: true }),
      ended: () => new Error("without an answer"),
    });
    let failure: unknown;
    void calls
      .open()
      .call("double", [4])
      .catch((error: unknown) => (failure = error));
    await calls.close();
    assert.match(String(failure), /without an answer/);
    await assert.rejects(calls.call("double", [4]), /without an answer/);
  });
});
