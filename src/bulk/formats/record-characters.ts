// How long a row of an input, and the record that it becomes, may be. Many fields may have the same long value by
// a mapping, and a thread that has no room for their JSON ends the whole process.

import type { JsonObject } from "../../domain/schema/schema-shape.ts";

export const recordCharactersMax = 4 * 1_024 * 1_024;

/** In a record: one that is accepted has a tenth of these. JSON may have six times as many. */
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
