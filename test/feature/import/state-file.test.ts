// The file of the state of an import. The files beside an import: what it has done, and the rows that were refused.
// Chunks of an import are processed concurrently, except where they share a record.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { removeState, StateFile } from "../../../src/feature/import/state-file.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { RefusedFile } from "../../../src/feature/import/refused-file.ts";
import { workInOrder } from "../../../src/feature/import/chunk.ts";

const folder = makeTempFolder();
const counts = { written: 1, unchanged: 0, refused: 0 };

function begin(name: string) {
  const path = join(folder, name);
  const state = new StateFile(path, { input: "1", settings: "2" });
  const complete = (from: number, to = from) => state.complete([from, to], counts, 0);
  const saved = () => (JSON.parse(readFileSync(path, "utf8")) as { done: unknown }).done;
  return { path, state, complete, saved };
}

describe("the state of an import", () => {
  it("is removed with what a killed process was writing, and with nothing of others", () => {
    const own = "persons.csv.sluice-import.json";
    const others = ["other.csv.sluice-import.json.0123456789ab.next", "persons.csv"];
    for (const name of [...others, `${own}.0123456789ab.next`])
      writeFileSync(join(folder, name), "");
    const { path, state } = begin(own);
    assert.equal(state.rowsDone, 0);
    assert.equal(readdirSync(folder).length, 4);
    removeState(path);
    assert.deepEqual(readdirSync(folder).sort(), others);
  });

  it("is saved after five lists, or when it is told to", async () => {
    const { state, complete, saved } = begin("often");
    for (let row = 1; row <= 4; row += 1) await complete(row);
    assert.deepEqual(saved(), []);
    await complete(5);
    assert.deepEqual(saved(), [[1, 5]]);
    await complete(6);
    await state.save();
    assert.deepEqual(saved(), [[1, 6]]);
  });

  it("contains at the end what was completed while it was saved", async () => {
    const { state, complete, saved } = begin("meanwhile");
    await Promise.all(Array.from({ length: 12 }, (_, row) => complete(row + 1)));
    await state.save();
    assert.deepEqual(saved(), [[1, 12]]);
  });

  it("has one range for rows that follow one another, in whatever order they were done", async () => {
    const { state, complete, saved } = begin("ranges");
    await complete(1, 2);
    await complete(5, 6);
    await complete(3, 4);
    await state.save();
    assert.deepEqual(saved(), [[1, 6]]);
    assert.deepEqual([state.rowsDone, state.isDone(6), state.isDone(7)], [6, true, false]);
    assert.equal(state.current.counts.written, 3);
  });

  it("rejects what can't be saved", async () => {
    const { path, state, complete } = begin("removed/state");
    rmSync(dirname(path), { recursive: true });
    await complete(1);
    for (const attempt of ["the first", "a later one"]) {
      await assert.rejects(state.save(), /^OperatorError: The state of the import can't/, attempt);
    }
  });
});

describe("the file of refused rows", () => {
  it("loses what an interrupted import wrote after its last state", () => {
    const path = join(folder, "refused");
    writeFileSync(path, `{"row":1}\n${"x".repeat(500)}\n`);
    const file = new RefusedFile({ path, columns: undefined, bytes: 10 });
    const row = { number: 3, fields: {} };
    file.append([{ row, code: 40_000, message: "no", errors: [] }]);
    file.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 2);
    assert.equal(lines[0], '{"row":1}');
    assert.match(lines[1] ?? "", /40000/);
  });
});

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
