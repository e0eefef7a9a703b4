// Items that arrive while a group is being written follow it as one group, in order and within
// bounds.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GroupWriter } from "../../src/http/group-writer.ts";

interface TestWriter {
  readonly writer: GroupWriter<number>;
  readonly groups: (readonly number[])[];
  readonly said: unknown[];
  /** Ends the current group, successfully or with an error. */
  readonly finish: (error?: Error) => Promise<void>;
}

function makeWriter(bounds: { itemsMax: number; bytesMax: number }): TestWriter {
  const groups: (readonly number[])[] = [];
  const said: unknown[] = [];
  let settle: ((error?: Error) => void) | undefined;
  const writer = new GroupWriter<number>({
    ...bounds,
    write: (group) => {
      groups.push(group);
      return new Promise((resolve, reject) => {
        settle = (error) => (error === undefined ? resolve() : reject(error));
      });
    },
    onRoom: () => said.push("room"),
    onFailure: (error) => said.push(error),
  });
  const finish = async (error?: Error): Promise<void> => {
    assert.ok(settle, "no group is in progress");
    settle(error);
    await new Promise(setImmediate);
  };
  return { writer, groups, said, finish };
}

function addAll(writer: GroupWriter<number>, items: readonly number[], bytes = 1): void {
  for (const item of items) writer.add(item, bytes);
  writer.start();
}

describe("the group writer", () => {
  it("writes the first item at once, and later ones as one group after it", async () => {
    const { writer, groups, finish } = makeWriter({ itemsMax: 10, bytesMax: 100 });
    addAll(writer, [1]);
    addAll(writer, [2, 3]);
    addAll(writer, [4]);
    assert.deepEqual(groups, [[1]]);
    await finish();
    assert.deepEqual(groups, [[1], [2, 3, 4]]);
    await finish();
    assert.equal(groups.length, 2);
  });

  it("is full at its bound of items or of bytes, reports when there is room, and keeps groups to the bound", async () => {
    const { writer, groups, said, finish } = makeWriter({ itemsMax: 3, bytesMax: 100 });
    addAll(writer, [1]);
    addAll(writer, [2, 3]);
    assert.equal(writer.isFull, false);
    addAll(writer, [4, 5, 6, 7]);
    assert.equal(writer.isFull, true);
    await finish();
    assert.deepEqual(said, []);
    await finish();
    assert.deepEqual(said, ["room"]);
    await finish();
    assert.deepEqual(groups, [[1], [2, 3, 4], [5, 6, 7]]);
    addAll(writer, [8]);
    addAll(writer, [9], 100);
    assert.equal(writer.isFull, true);
    await finish();
    assert.equal(writer.isFull, false);
    assert.deepEqual(said, ["room", "room"]);
  });

  it("ends when everything is written", async () => {
    const { writer, groups, finish } = makeWriter({ itemsMax: 2, bytesMax: 100 });
    addAll(writer, [1, 2, 3]);
    let ended = false;
    const end = writer.end().then(() => (ended = true));
    await finish();
    assert.equal(ended, false);
    await finish();
    await end;
    assert.deepEqual(groups, [[1, 2], [3]]);
  });

  it("writes nothing more after a failure, which it reports once", async () => {
    const { writer, groups, said, finish } = makeWriter({ itemsMax: 2, bytesMax: 100 });
    addAll(writer, [1, 2]);
    addAll(writer, [3]);
    said.length = 0;
    const failure = new Error("disk full");
    await finish(failure);
    addAll(writer, [4]);
    await writer.end();
    assert.deepEqual(groups, [[1, 2]]);
    assert.deepEqual(said, [failure]);
  });
});
