// Every resource that a client can use up has a bound, which SECURITY.md names with its value in the code.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { samples } from "../feature/samples.ts";
import { rowsOf } from "./rule/reference.ts";
import { findText, readFile } from "./tree.ts";

/** A row: what it is, who can use it, and what bounds it. */
interface Resource {
  readonly name: string;
  readonly bounds: readonly Bound[];
}

interface Bound {
  /** A constant of `limits`, or a path below `src`, a number sign, and a constant of that file. */
  readonly constant: string;
  readonly value: number;
}

const bound = /`([\w./#-]+)` \(([\d,]+)\)/g;

/** Rows of three cells under the heading, and under those of features. */
function resourcesOf(page: string): readonly Resource[] {
  const [, ...parts] = page.split(/\n##+ What bounds each resource.*\n/);
  return parts
    .flatMap((part) => rowsOf(part.split("\n## ")[0] ?? "").slice(1))
    .map(([name = "", , bounds = ""]) => ({
      name,
      bounds: [...bounds.matchAll(bound)].map(([, constant = "", value = ""]) => ({
        constant,
        value: Number(value.replaceAll(",", "")),
      })),
    }));
}

/** `find`: the value of a constant in the code; undefined if there is none. */
function findBoundViolations(
  resources: readonly Resource[],
  expected: readonly string[],
  find: (constant: string) => number | undefined,
): readonly string[] {
  return [
    ...expected
      .filter((name) => resources.every((resource) => !resource.name.includes(name)))
      .map((name) => `no row is about ${name}`),
    ...resources
      .filter(({ bounds }) => bounds.length === 0)
      .map(({ name }) => `nothing bounds "${name}"`),
    ...resources.flatMap(({ bounds }) => bounds.flatMap((one) => differenceOf(one, find))),
  ];
}

function differenceOf(
  { constant, value }: Bound,
  find: (constant: string) => number | undefined,
): readonly string[] {
  const actual = find(constant);
  if (actual === undefined) return [`there is no constant ${constant}`];
  return actual === value ? [] : [`${constant} is ${actual}, not ${value}`];
}

/** The value of a constant, or of a property of one, that is written as a product or quotient of numbers. */
function constantIn(text: string, name: string): number | undefined {
  const found = new RegExp(`\\b${name}(?: =|:) ([\\d_ */]+)[;,]`).exec(text)?.[1];
  if (found === undefined) return undefined;
  const [first = "", ...rest] = found.replaceAll("_", "").split(/ (?=[*/])/);
  return rest.reduce((value, step) => {
    const by = Number(step.slice(2));
    return step.startsWith("*") ? value * by : value / by;
  }, Number(first));
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
