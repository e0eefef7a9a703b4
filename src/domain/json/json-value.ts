// Arbitrary JSON values inside a record: their depth, whether they can be stored as sent, and their canonical form.
// Never recurses deeper than a bound.

import type { FieldError } from "../error.ts";
import { inexactMessage, isInexact } from "./exact-number.ts";
import { errorsMax, limits } from "../limits.ts";
import { fieldPath, itemPath } from "../validation/path.ts";

/** Whether the value has more than this many levels of lists and objects, itself included. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (isNestedDeeper(inner, levels - 1)) return true;
  }
  return false;
}

/** Errors for what can't be stored unchanged, up to one more than a reply lists. */
export function jsonValueErrors(path: string, value: unknown): readonly FieldError[] {
  const errors: FieldError[] = [];
  collect({ path, value, levels: limits.jsonFieldDepthMax, errors });
  return errors;
}

interface NestedValue {
  readonly path: string;
  readonly value: unknown;
  readonly levels: number;
  readonly errors: FieldError[];
}

function collect({ path, value, levels, errors }: NestedValue): void {
  if (errors.length >= errorsMax) return;
  if (typeof value === "string") {
    if (!value.isWellFormed()) errors.push({ field: path, message: illFormedMessage });
  } else if (isInexact(value)) {
    errors.push({ field: path, message: inexactMessage });
  } else if (typeof value === "object" && value !== null) {
    if (levels === 0) errors.push({ field: path, message: tooDeepMessage });
    else collectInside({ path, value, levels: levels - 1, errors });
  }
}

function collectInside({
  path,
  value,
  levels,
  errors,
}: NestedValue & { readonly value: object }): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      collect({ path: itemPath(path, index), value: item, levels, errors });
    }
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    const inner = fieldPath(path, name);
    if (!name.isWellFormed())
      errors.push({ field: inner, message: `as a key ${illFormedMessage}` });
    collect({ path: inner, value: item, levels, errors });
  }
}

const illFormedMessage = "contains half of a surrogate pair, which is not valid text";
const tooDeepMessage = `is nested too deep: the field may have at most ${limits.jsonFieldDepthMax} levels`;

/** Returns the same value with sorted keys. The value must be valid, so that its depth is bounded. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  // Names are sorted by UTF-16 code units. `fromEntries` creates own properties even for names such as `__proto__`.
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]));
}
