// The list of planted faults stays true while the code changes: each can still be planted, and names tests that exist.
// Runs none of them; `npm run campaign -- mutants` does.

import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { describe, it } from "node:test";
import { type Mutant, plant, readMutants } from "../mutants/mutant.ts";
import { exists, findText } from "./tree.ts";

const mutantsMin = 150;
const parts = [
  "src/domain",
  "src/store/group",
  "src/store/ledger",
  "src/store/sql/",
  "src/store/sqlite",
  "src/store/postgres",
  "src/actions",
  "src/http",
  "src/worker",
  "src/bulk",
  "src/cli",
  "src/console",
  "src/metrics",
  "client/src",
];

/** Undefined for a fault that can be planted and has tests. */
function faultOf(mutant: Mutant): string | undefined {
  const missing = mutant.tests.find(({ file }) => !exists(file));
  if (missing !== undefined) return `${missing.file} does not exist`;
  try {
    const planted = plant(findText(mutant.file) ?? "", mutant);
    if (mutant.file.endsWith(".ts")) stripTypeScriptTypes(planted);
    return undefined;
  } catch (error) {
    return `${mutant.file}: ${mutant.broken}: ${String(error)}`;
  }
}

describe("the list of planted faults", () => {
  const mutants = readMutants();

  it("covers every part of the service", () => {
    assert.ok(mutants.length >= mutantsMin, `${mutants.length} faults`);
    const files = mutants.map(({ file }) => file);
    assert.deepEqual(
      parts.filter((part) => !files.some((file) => file.startsWith(part))),
      [],
    );
  });

  it("is true of the code", () => {
    assert.deepEqual(
      mutants.map(faultOf).filter((fault) => fault !== undefined),
      [],
    );
  });

  it("would be reported if a text was missing, ambiguous or no code, or a test did not exist", () => {
    const [sound] = mutants;
    assert.ok(sound);
    const faulty: readonly Partial<Mutant>[] = [
      { text: "no such text" },
      { text: "\n" },
      { replacement: "(" },
      { file: "src/missing.ts" },
      { tests: [{ file: "test/missing.test.ts", titles: undefined }] },
    ];
    for (const change of faulty) assert.notEqual(faultOf({ ...sound, ...change }), undefined);
  });
});
