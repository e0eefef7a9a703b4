// The file of the state of an import.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { removeState, StateFile } from "../../../src/bulk/import/state-file.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";

describe("the state of an import", () => {
  const folder = makeTempFolder();
  after(() => removeFolder(folder));

  it("is removed with what a killed process was writing, and with nothing of others", () => {
    const path = join(folder, "persons.csv.sluice-import.json");
    const others = ["other.csv.sluice-import.json.0123456789ab.next", "persons.csv"];
    for (const name of others) writeFileSync(join(folder, name), "");
    writeFileSync(`${path}.0123456789ab.next`, "{");
    assert.equal(new StateFile(path, { input: "1", settings: "2" }).rowsDone, 0);
    assert.equal(readdirSync(folder).length, 4);
    removeState(path);
    assert.deepEqual(readdirSync(folder).sort(), others);
  });

  it("is saved after five lists, or when it is told to", async () => {
    const path = join(folder, "often.csv.sluice-import.json");
    const state = new StateFile(path, { input: "1", settings: "2" });
    const counts = { written: 1, unchanged: 0, refused: 0 };
    const saved = () => (JSON.parse(readFileSync(path, "utf8")) as { done: unknown }).done;
    for (let row = 1; row <= 4; row += 1) await state.complete([row, row], counts, 0);
    assert.deepEqual(saved(), []);
    await state.complete([5, 5], counts, 0);
    assert.deepEqual(saved(), [[1, 5]]);
    await state.complete([6, 6], counts, 0);
    await state.save();
    assert.deepEqual(saved(), [[1, 6]]);
    removeState(path);
  });

  it("contains at the end what was completed while it was saved", async () => {
    const path = join(folder, "meanwhile.csv.sluice-import.json");
    const state = new StateFile(path, { input: "1", settings: "2" });
    const counts = { written: 1, unchanged: 0, refused: 0 };
    const completed = Array.from({ length: 12 }, (_, row) =>
      state.complete([row + 1, row + 1], counts, 0),
    );
    await Promise.all(completed);
    await state.save();
    const saved = JSON.parse(readFileSync(path, "utf8")) as { done: unknown };
    assert.deepEqual(saved.done, [[1, 12]]);
    removeState(path);
  });

  it("rejects what can't be saved", async () => {
    const inside = join(folder, "removed");
    const path = join(inside, "state");
    const state = new StateFile(path, { input: "1", settings: "2" });
    rmSync(inside, { recursive: true });
    await state.complete([1, 1], { written: 1, unchanged: 0, refused: 0 }, 0);
    for (const attempt of ["the first", "a later one"]) {
      await assert.rejects(state.save(), /^OperatorError: The state of the import can't/, attempt);
    }
  });
});
