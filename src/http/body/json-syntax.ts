// Finds where a text stops being JSON (RFC 8259), which JSON.parse does not report for every mistake. Used only for
// text that JSON.parse has refused, and never repeats any of it. Reads no deeper than the nesting limit of a body.

import { limits } from "../../domain/limits.ts";

export interface JsonSyntaxError {
  /** The offset of the first invalid UTF-16 unit; the length of the text if the end is missing. */
  readonly at: number;
  /** Whether a complete value ended before. */
  readonly isAfterEnd: boolean;
  /** Whether reading stopped because the text is nested too deeply. */
  readonly isTooDeep: boolean;
}

/** What may come next; `or end`: the list or object may also be closed. */
type Awaited = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

interface Scan {
  readonly text: string;
  at: number;
  awaited: Awaited;
  /** The brackets that are open, outermost first. */
  readonly open: ("{" | "[")[];
}

export function findJsonSyntaxError(text: string): JsonSyntaxError {
  const scan: Scan = { text, at: 0, awaited: "value", open: [] };
  do skip(scan, blanks);
  while (scan.at < text.length && scan.open.length <= limits.jsonDepthMax && step(scan));
  return {
    at: scan.at,
    isAfterEnd: scan.awaited === "comma or end" && scan.open.length === 0,
    isTooDeep: scan.open.length > limits.jsonDepthMax,
  };
}

const blanks = /[\t\n\r ]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex
const plainText = /[^"\\\u0000-\u001f]*/y;
const escapes = /(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))?/y;

/** Advances past what the pattern matches here. False if it matches nothing. */
function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at;
  if (!pattern.test(scan.text)) return false;
  scan.at = pattern.lastIndex;
  return true;
}

/**
 * Reads one structural character, a name or a value. False if it is invalid or incomplete; then `at` is its position.
 */
function step(scan: Scan): boolean {
  const { text, awaited, open } = scan;
  const sign = text[scan.at];
  if (awaited === "colon") return accept(scan, sign === ":", "value");
  if (sign === "]" || sign === "}") return close(scan, sign);
  if (awaited === "comma or end") {
    const next = open.at(-1) === "{" ? "name" : "value";
    return accept(scan, sign === "," && open.length > 0, next);
  }
  const isName = awaited === "name" || awaited === "name or end";
  if (sign === '"') return readText(scan, isName ? "colon" : "comma or end");
  if (isName) return false;
  if (sign === "{" || sign === "[") {
    open.push(sign);
    return accept(scan, true, sign === "{" ? "name or end" : "value or end");
  }
  if (!skip(scan, scalar)) return false;
  scan.awaited = "comma or end";
  return true;
}

function accept(scan: Scan, isValid: boolean, next: Awaited): boolean {
  if (!isValid) return false;
  scan.at += 1;
  scan.awaited = next;
  return true;
}

function close(scan: Scan, sign: "]" | "}"): boolean {
  const { awaited, open } = scan;
  const [opening, empty] = sign === "]" ? ["[", "value or end"] : ["{", "name or end"];
  const isValid = open.at(-1) === opening && (awaited === empty || awaited === "comma or end");
  if (isValid) open.pop();
  return accept(scan, isValid, "comma or end");
}

/** Reads a string from quote to quote. */
function readText(scan: Scan, next: Awaited): boolean {
  scan.at += 1;
  for (;;) {
    const before = scan.at;
    skip(scan, plainText);
    skip(scan, escapes);
    if (scan.text[scan.at] === '"') return accept(scan, true, next);
    if (scan.at === before) return false;
  }
}
