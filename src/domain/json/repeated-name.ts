// Finds a member that an object in a JSON text names twice: JSON.parse silently returns the last one, and other readers
// may return the first (RFC 8259, section 4). Linear in the length of the text.

import { isNestedDeeper } from "./json-value.ts";

/** Nothing that the service writes has more levels, so recursive functions that read the value are safe. */
export const writtenLevelsMax = 32;

/** Undefined if it is not JSON, if readers may disagree on what it says, or if it has more levels. */
export function readUnambiguous(text: string, levelsMax = writtenLevelsMax): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const isRead = !isNestedDeeper(value, levelsMax) && findRepeatedName(text) === undefined;
    return isRead ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the first repeated name in an object; undefined if there is none. The text must be valid JSON. */
export function findRepeatedName(text: string): string | undefined {
  /** The names in each open object, from the outermost; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "{") open.push(new Set());
    else if (sign === "[") open.push(undefined);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === '"') {
      const end = endOfText(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName(text, end)) {
        const name = JSON.parse(text.slice(at, end)) as string;
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The position after the closing quotation mark. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** A text is a name if a colon follows. */
function isName(text: string, from: number): boolean {
  let at = from;
  while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  return text[at] === ":";
}
