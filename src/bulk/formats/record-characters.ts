// How long a row of an input, and the record that it becomes, may be. Many fields may have the same long value, in Parquet and
// by a mapping, and a thread that has no room for their JSON ends the whole process.

export const recordCharactersMax = 4 * 1_024 * 1_024;

/** True if its JSON, apart from punctuation, is longer. */
export function isTooLong(record: unknown): boolean {
  return charactersOf(record) > recordCharactersMax;
}

/** The length of its JSON apart from punctuation; reads no further than to the maximum. */
export function charactersOf(record: unknown): number {
  const open: unknown[] = [record];
  let characters = 0;
  while (open.length > 0 && characters <= recordCharactersMax) {
    const value = open.pop();
    characters += typeof value === "string" ? jsonLength(value) : plainLength(value);
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) open.push(item);
      continue;
    }
    for (const [key, inside] of Object.entries(value)) {
      characters += key.length;
      open.push(inside);
    }
  }
  return characters;
}

function plainLength(value: unknown): number {
  return typeof value === "number" ? String(value).length : 1;
}

// eslint-disable-next-line no-control-regex
const longInJson = /[\u0000-\u001f]|\p{Surrogate}/u;

/** JSON has six characters for a control character and for half of a pair. */
function jsonLength(text: string): number {
  if (text.length > recordCharactersMax || !longInJson.test(text)) return text.length;
  let length = text.length;
  for (const character of text) if (longInJson.test(character)) length += 5;
  return length;
}
