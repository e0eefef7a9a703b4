// The files that an import writes beside its input: files that somebody planted under their names are neither followed,
// nor written to, nor trusted, and written files can be read by their owner only.

import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { RefusedFile } from "../../../src/feature/import/refused-file.ts";
import { removeState, StateFile } from "../../../src/feature/import/state-file.ts";
import { assertPrecious, makePlace, modeOf } from "../../support/planted-file.ts";

const refusal = {
  row: { number: 1, text: "x", reason: "is not JSON" },
  code: undefined,
  message: "is not JSON",
  errors: [],
};

function refusedFile(path: string, bytes = 0): RefusedFile {
  return new RefusedFile({ path, columns: undefined, bytes });
}

describe("the file of refused rows", () => {
  it("replaces a link that exists at the beginning", () => {
    const { place, victim } = makePlace();
    const path = join(place, "refused");
    symlinkSync(victim, path);
    const refused = refusedFile(path);
    refused.append([refusal]);
    refused.close();
    assertPrecious(victim);
    assert.ok(lstatSync(path).isFile());
    assert.equal(modeOf(path), 0o600);
  });

  it("is not written if a link or a file appears meanwhile", () => {
    for (const plant of [symlinkSync, (_: string, path: string) => writeFileSync(path, "")]) {
      const { place, victim } = makePlace();
      const path = join(place, "refused");
      const refused = refusedFile(path);
      plant(victim, path);
      assert.throws(() => refused.append([refusal]), {
        name: "OperatorError",
        message: /can't be written/,
      });
      assertPrecious(victim);
    }
  });

  it("is not continued through a link, and is readable by its owner only if it is continued", () => {
    const { place, victim } = makePlace();
    const path = join(place, "refused");
    symlinkSync(victim, path);
    assert.throws(() => refusedFile(path, 3), { name: "OperatorError" });
    assertPrecious(victim);
    rmSync(path);
    writeFileSync(path, "abcdef", { mode: 0o644 });
    refusedFile(path, 3).close();
    assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["abc", 0o600]);
  });
});

describe("the state of an import", () => {
  const identity = { input: "i", settings: "s" };
  const counts = { written: 1, unchanged: 0, refused: 0 };

  it("is written under unused names, and is readable by its owner only", async () => {
    const { place, victim } = makePlace();
    const path = join(place, "state");
    symlinkSync(victim, `${path}.next`);
    symlinkSync(victim, `${path}.${process.pid}.next`);
    const state = new StateFile(path, identity);
    for (let row = 1; row < 5; row += 1) await state.complete([row, row], counts, 0);
    await state.save();
    assertPrecious(victim);
    assert.equal(modeOf(path), 0o600);
    removeState(path);
    assert.deepEqual(
      readdirSync(place).filter((name) => /^state\.[0-9a-f]{12}/.test(name)),
      [],
    );
  });

  it("is not trusted if it is a link", () => {
    const { place, victim } = makePlace();
    const path = join(place, "state");
    symlinkSync(victim, path);
    assert.throws(() => new StateFile(path, identity), {
      name: "OperatorError",
      message: /Remove it to start from the beginning/,
    });
    assertPrecious(victim);
  });
});
