// The files beside an import: what it has done, and the rows that were refused.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { RefusedFile } from "../../../src/bulk/import/refused-file.ts";
import { StateFile } from "../../../src/bulk/import/state-file.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
after(() => removeFolder(folder));

describe("the state of an import", () => {
  it("has one range for rows that follow one another, in whatever order they were done", async () => {
    const path = join(folder, "state");
    const state = new StateFile(path, { input: "a", settings: "b" });
    const counts = { written: 1, unchanged: 0, refused: 0 };
    for (const range of [
      [1, 2],
      [5, 6],
      [3, 4],
    ] as const)
      await state.complete(range, counts, 0);
    await state.save();
    const { done } = JSON.parse(readFileSync(path, "utf8")) as { done: unknown };
    assert.deepEqual(done, [[1, 6]]);
    assert.deepEqual([state.rowsDone, state.isDone(6), state.isDone(7)], [6, true, false]);
    assert.equal(state.counts.written, 3);
  });
});

describe("the file of refused rows", () => {
  it("loses what an interrupted import wrote after its last state", () => {
    const path = join(folder, "refused");
    writeFileSync(path, `{"row":1}\n${"x".repeat(500)}\n`);
    const options = { path, columns: undefined, bytes: 10 };
    const file = new RefusedFile(options);
    const row = { number: 3, fields: {} };
    file.append([{ row, code: 40_000, message: "no", errors: [] }]);
    file.close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 2);
    assert.equal(lines[0], '{"row":1}');
    assert.match(lines[1] ?? "", /40000/);
  });
});
