// How long a row of an input, and the record that it becomes, may be. Many fields may have the same long value, in
// Parquet and by a mapping, and a thread that has no room for their JSON ends the whole process.

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
function charactersOf(record: unknown, lengthOf: (text: string) => number): number {
  const open: unknown[] = [record];
  let characters = 0;
  while (open.length > 0 && characters <= recordCharactersMax) {
    const value = open.pop();
    characters += typeof value === "string" ? lengthOf(value) : plainLength(value);
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) open.push(item);
      continue;
    }
    for (const key of Object.keys(value)) {
      characters += key.length;
      open.push((value as JsonObject)[key]);
    }
  }
  return characters;
}

function plainLength(value: unknown): number {
  return typeof value === "number" ? String(value).length : 1;
}

// eslint-disable-next-line no-control-regex
const longInJson = /[\u0000-\u001f]|\p{Surrogate}/u;

function longestInJson(text: string): number {
  return text.length * 6;
}

/** JSON has six characters for a control character and for half of a pair. */
function lengthInJson(text: string): number {
  if (text.length > recordCharactersMax || !longInJson.test(text)) return text.length;
  let length = text.length;
  for (const character of text) if (longInJson.test(character)) length += 5;
  return length;
}
