// Reads JSON that somebody presents.

import { findRepeatedName } from "../../domain/json/repeated-name.ts";

/** Nothing that the service writes has more levels. So recursive functions that read the value are safe. */
const levelsMax = 32;

/** Undefined if it is not JSON, if readers may disagree on what it says, or if it has too many levels. */
export function readJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return findRepeatedName(text) === undefined && isFlat(value, levelsMax) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isFlat(member, levels - 1));
}
