// The table of resources in SECURITY.md: each row names the constants that bound the resource, with their values.

import { rowsOf } from "./reference.ts";

/** A row: what it is, who can use it, and what bounds it. */
export interface Resource {
  readonly name: string;
  readonly bounds: readonly Bound[];
}

export interface Bound {
  /** A constant of `limits`, or a path below `src`, a number sign, and a constant of that file. */
  readonly constant: string;
  readonly value: number;
}

const bound = /`([\w./#-]+)` \(([\d,]+)\)/g;

/** Rows of three cells under the heading, and under those of features. */
export function resourcesOf(page: string): readonly Resource[] {
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

/** `valueOf`: the value of a constant in the code; undefined if there is none. */
export function findBoundViolations(
  resources: readonly Resource[],
  expected: readonly string[],
  valueOf: (constant: string) => number | undefined,
): readonly string[] {
  return [
    ...expected
      .filter((name) => resources.every((resource) => !resource.name.includes(name)))
      .map((name) => `no row is about ${name}`),
    ...resources
      .filter(({ bounds }) => bounds.length === 0)
      .map(({ name }) => `nothing bounds "${name}"`),
    ...resources.flatMap(({ bounds }) => bounds.flatMap((one) => differenceOf(one, valueOf))),
  ];
}

function differenceOf(
  { constant, value }: Bound,
  valueOf: (constant: string) => number | undefined,
): readonly string[] {
  const actual = valueOf(constant);
  if (actual === undefined) return [`there is no constant ${constant}`];
  return actual === value ? [] : [`${constant} is ${actual}, not ${value}`];
}

/** The value of a constant, or of a property of one, that is written as a product or quotient of numbers. */
export function constantIn(text: string, name: string): number | undefined {
  const found = new RegExp(`\\b${name}(?: =|:) ([\\d_ */]+)[;,]`).exec(text)?.[1];
  if (found === undefined) return undefined;
  const [first = "", ...rest] = found.replaceAll("_", "").split(/ (?=[*/])/);
  return rest.reduce((value, step) => {
    const by = Number(step.slice(2));
    return step.startsWith("*") ? value * by : value / by;
  }, Number(first));
}
