// Every resource that a client can use up has a bound, which docs/reference/bounds.md names with its value in the code.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { constantIn, renderBounds, withValues } from "../../docs/generate/bounds.ts";
import { samples } from "../feature/samples.ts";
import { rowsOf } from "./rule/reference.ts";

/** Rows of three cells, in the tables of the core and of features: what it is, who can use it, and what bounds it. */
function findBoundViolations(page: string, expected: readonly string[]): readonly string[] {
  const rows = page.split("\n## ").flatMap((part) => rowsOf(part).slice(1));
  return [
    ...expected
      .filter((name) => rows.every(([what = ""]) => !what.includes(name)))
      .map((name) => `no row is about ${name}`),
    ...rows
      .filter(([, , bound = ""]) => !/` \([\d,]+\)/.test(bound))
      .map(([what]) => `nothing bounds "${what}"`),
  ];
}

const expected = [
  "bytes",
  "Chunks",
  "Frames",
  "Rows",
  "Windows",
  "Timers",
  "Promises",
  "connections",
  "Rows of a table",
  ...samples.flatMap(({ resources = [] }) => resources),
];

const page = (...rows: readonly string[]): string =>
  withValues(`# Bounds\n\n| a | b | c |\n|---|---|---|\n${rows.join("\n")}\n`);

describe("the resources that a client can use up", () => {
  it("each have a bound that exists in the code", () => {
    assert.deepEqual(findBoundViolations(renderBounds(), expected), []);
  });

  it("would be reported without a bound, and where one is missing", () => {
    const bytes = "| bytes | all | `limits.bodyBytesMax` |";
    const check = (...rows: readonly string[]) => findBoundViolations(page(...rows), ["bytes"]);
    assert.match(page(bytes), /`limits\.bodyBytesMax` \(16,777,216\)/);
    assert.equal(check(bytes).length, 0);
    assert.equal(check().length, 1);
    assert.equal(check(bytes, "| rows | all | nothing |").length, 1);
  });

  it("name no constant that the code does not have", () => {
    for (const name of [
      "limits.noSuchMax",
      "http/none.ts#bytesMax",
      "domain/limits.ts#noSuchMax",
    ]) {
      assert.throws(() => page(`| bytes | all | \`${name}\` |`), TypeError, name);
    }
  });

  it("have values that are read from constants and from their properties", () => {
    const text = "export const aMax = 64 * 1_024;\nconst b = { cMax: 3, dMs: 60 * 60_000,\n};\n";
    assert.deepEqual(
      ["aMax", "cMax", "dMs", "eMax"].map((name) => constantIn(text, name)),
      [65_536, 3, 3_600_000, undefined],
    );
  });
});
