// Every resource that a client can use up has a bound, which SECURITY.md names with its value in the code.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { constantIn, findBoundViolations, resourcesOf } from "./rule/bounds.ts";
import { findText, readFile } from "./tree.ts";

const expected = [
  "bytes",
  "Chunks",
  "Frames",
  "Rows",
  "Cells",
  "Windows",
  "Timers",
  "Promises",
  "connections",
  "Rows of a table",
];

function valueOf(constant: string): number | undefined {
  const [path = "", name] = constant.split("#");
  if (name !== undefined) return constantIn(findText(`src/${path}`) ?? "", name);
  const [, limit = ""] = path.split("limits.");
  return Object.hasOwn(limits, limit) ? limits[limit as keyof typeof limits] : undefined;
}

const page = (...rows: readonly string[]): string =>
  `\n### What bounds each resource\n\n| a | b | c |\n|---|---|---|\n${rows.join("\n")}\n\n## Next\n`;

const check = (...rows: readonly string[]): number =>
  findBoundViolations(resourcesOf(page(...rows)), ["bytes"], valueOf).length;

describe("the resources that a client can use up", () => {
  it("each have a bound that exists in the code, with the value that SECURITY.md states", () => {
    const resources = resourcesOf(readFile("SECURITY.md").text);
    assert.deepEqual(findBoundViolations(resources, expected, valueOf), []);
  });

  it("would be reported without a bound, with another value, and where one is missing", () => {
    const bytes = "| bytes | all | `limits.bodyBytesMax` (16,777,216) |";
    assert.equal(check(bytes), 0);
    assert.equal(check(), 1);
    assert.equal(check(bytes, "| rows | all | nothing |"), 1);
    assert.equal(check(bytes.replace("216", "217")), 1);
    assert.equal(check(bytes.replace("bodyBytesMax", "noSuchMax")), 1);
    assert.equal(check(bytes.replace("limits.bodyBytesMax", "http/none.ts#bytesMax")), 1);
  });

  it("have values that are read from constants and from their properties", () => {
    const text = "export const aMax = 64 * 1_024;\nconst b = { cMax: 3, dMs: 60 * 60_000,\n};\n";
    assert.deepEqual(
      ["aMax", "cMax", "dMs", "eMax"].map((name) => constantIn(text, name)),
      [65_536, 3, 3_600_000, undefined],
    );
  });
});
