// Chunks of an import are processed concurrently, except where they share a record.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { workInOrder } from "../../../src/bulk/import/in-order.ts";

interface Chunk {
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

async function* chunksOf(...all: readonly (readonly [string, ...string[]])[]) {
  for (const [name, ...ids] of all) yield { name, ids: new Set(ids) };
}

describe("the chunks of an import", () => {
  const { signal: stopping } = new AbortController();

  it("wait for earlier ones with the same record, and for no others", async () => {
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const work = async ({ name }: Chunk): Promise<void> => {
      events.push(`begin ${name}`);
      if (name === "one") await first.promise;
      if (name === "two") setImmediate(first.resolve);
      events.push(`end ${name}`);
    };
    const chunks = chunksOf(["one", "a"], ["two", "b"], ["three", "a", "c"]);
    await workInOrder(chunks, { atOnce: 4, work, stopping });
    const order = ["begin one", "begin two", "end two", "end one", "begin three", "end three"];
    assert.deepEqual(events, order);
  });

  it("end with the first failure, after those in flight", async () => {
    const done: string[] = [];
    const work = async ({ name }: Chunk): Promise<void> => {
      if (name === "one") throw new Error("the first failed");
      await new Promise(setImmediate);
      done.push(name);
    };
    const chunks = chunksOf(["one", "a"], ["two", "b"], ["three", "a"], ["four", "d"]);
    await assert.rejects(workInOrder(chunks, { atOnce: 2, work, stopping }), /the first failed/);
    assert.ok(!done.includes("four"), done.join(" "));
  });
});
