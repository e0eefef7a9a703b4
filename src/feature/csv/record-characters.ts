// How long and how deep a row of an input, and the record that it becomes, may be. Many fields may have the same long
// value by a mapping, and a thread that has no room for their JSON ends the whole process.

import { limits } from "../../domain/limits.ts";
import type { JsonObject } from "../../domain/schema/schema-shape.ts";

export const recordCharactersMax = 4 * 1_024 * 1_024;

/** How deep the JSON of a row may be: a row can have a list of records. Deeper values are never written as JSON. */
export const levelsMax = limits.jsonDepthMax + 2;

/** In a record; a valid record has at most a tenth of these characters. Its JSON may have six times as many. */
export const valueCharactersMax = 640 * 1_024;

/** Counts the characters of all names and values. */
export function isTooLong(record: unknown): boolean {
  const open: unknown[] = [record];
  let characters = 0;
  while (open.length > 0 && characters <= valueCharactersMax) {
    const value = open.pop();
    if (typeof value === "string") characters += value.length;
    else if (typeof value !== "object" || value === null) characters += 1;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else {
      for (const key of Object.keys(value)) {
        characters += key.length;
        open.push((value as JsonObject)[key]);
      }
    }
  }
  return characters > valueCharactersMax;
}
