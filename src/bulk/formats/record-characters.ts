// How long a row of an input, and the record that it becomes, may be. Many fields may have the same long value by
// a mapping, and a thread that has no room for their JSON ends the whole process.

import type { JsonObject } from "../../domain/schema/schema-shape.ts";

export const recordCharactersMax = 4 * 1_024 * 1_024;

/**
 * True if its JSON, apart from punctuation, is longer. Nearly always an upper bound that is computed fast shows that it
 * is not.
 */
export function isTooLong(record: unknown): boolean {
  return [longestInJson, lengthInJson].every(
    (lengthOf) => charactersOf(record, lengthOf) > recordCharactersMax,
  );
}

/** The length of its JSON apart from punctuation; stops at the maximum. */
function charactersOf(record: unknown, lengthOf: (value: unknown) => number): number {
  const open: unknown[] = [record];
  let characters = 0;
  while (open.length > 0 && characters <= recordCharactersMax) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) {
      characters += lengthOf(value);
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else {
      for (const key of Object.keys(value)) {
        const held = (value as JsonObject)[key];
        characters += key.length;
        if (typeof held === "object" && held !== null) open.push(held);
        else characters += lengthOf(held);
      }
    }
  }
  return characters;
}

// eslint-disable-next-line no-control-regex
const longInJson = /[\u0000-\u001f]|\p{Surrogate}/u;

/** No number and no other plain value has more characters than 32. */
function longestInJson(value: unknown): number {
  return typeof value === "string" ? value.length * 6 : 32;
}

/** JSON has six characters for a control character and for half of a pair. */
function lengthInJson(value: unknown): number {
  if (typeof value !== "string") return typeof value === "number" ? String(value).length : 1;
  if (value.length > recordCharactersMax || !longInJson.test(value)) return value.length;
  let length = value.length;
  for (const character of value) if (longInJson.test(character)) length += 5;
  return length;
}
