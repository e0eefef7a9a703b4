// Where a text stops being JSON (RFC 8259), as the parser of the language does not tell for every mistake. Is asked only
// about text that the parser refused, and repeats none of it. Reads no further than the nesting that a body may have.

import { limits } from "../../domain/limits.ts";

export interface JsonSyntaxError {
  /** In UTF-16 units from the beginning: the first that can't stand where it does; the length where more is missing. */
  readonly at: number;
  /** Whether a whole value ended before. */
  readonly isBehindEnd: boolean;
  /** Whether it was nested deeper than a body may be, so that it was read no further. */
  readonly isTooDeep: boolean;
}

/** What may come next: `or end` where the list or object may also be closed. */
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
    isBehindEnd: scan.awaited === "comma or end" && scan.open.length === 0,
    isTooDeep: scan.open.length > limits.jsonDepthMax,
  };
}

const blanks = /[\t\n\r ]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex
const plainText = /[^"\\\u0000-\u001f]*/y;
const escapes = /(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))?/y;

/** Goes on behind what the pattern finds here. False if it finds nothing. */
function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at;
  if (!pattern.test(scan.text)) return false;
  scan.at = pattern.lastIndex;
  return true;
}

/** Takes one sign, name or value. False if what stands here can't, or is not whole; then `at` is where it goes wrong. */
function step(scan: Scan): boolean {
  const { text, awaited, open } = scan;
  const sign = text[scan.at];
  if (awaited === "colon") return take(scan, sign === ":", "value");
  if (sign === "]" || sign === "}") return close(scan, sign);
  if (awaited === "comma or end") {
    const next = open.at(-1) === "{" ? "name" : "value";
    return take(scan, sign === "," && open.length > 0, next);
  }
  const isName = awaited === "name" || awaited === "name or end";
  if (sign === '"') return passText(scan, isName ? "colon" : "comma or end");
  if (isName) return false;
  if (sign === "{" || sign === "[") {
    open.push(sign);
    return take(scan, true, sign === "{" ? "name or end" : "value or end");
  }
  if (!skip(scan, scalar)) return false;
  scan.awaited = "comma or end";
  return true;
}

function take(scan: Scan, fits: boolean, next: Awaited): boolean {
  if (!fits) return false;
  scan.at += 1;
  scan.awaited = next;
  return true;
}

function close(scan: Scan, sign: "]" | "}"): boolean {
  const { awaited, open } = scan;
  const [opening, empty] = sign === "]" ? ["[", "value or end"] : ["{", "name or end"];
  const fits = open.at(-1) === opening && (awaited === empty || awaited === "comma or end");
  if (fits) open.pop();
  return take(scan, fits, "comma or end");
}

/** From quote to quote. */
function passText(scan: Scan, next: Awaited): boolean {
  scan.at += 1;
  for (;;) {
    const before = scan.at;
    skip(scan, plainText);
    skip(scan, escapes);
    if (scan.text[scan.at] === '"') return take(scan, true, next);
    if (scan.at === before) return false;
  }
}
