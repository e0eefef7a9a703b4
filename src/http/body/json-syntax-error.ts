// Says where a body is not valid JSON. Never repeats what was sent.

import { isUtf8 } from "node:buffer";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

export type JsonSource = "body" | "line";

/** How much is read to find a mistake: reading all of a large body would take seconds. */
const explainedCharactersMax = 128 * 1_024;
/** How much of a token may stand before a cut and look like a mistake. */
const cutCharacters = 8;

/** The error of a list whose items before `from` are JSON; names the place in the whole body. */
export function describeListError(body: Buffer, from: number): AppError {
  const rest = body.subarray(from);
  if (body.length === 0) return malformed("The body is empty; send JSON.");
  if (!isUtf8(rest)) return malformed("The body is not valid UTF-8.");
  // A UTF-16 unit takes at most three bytes.
  const text = rest.subarray(0, 3 * (explainedCharactersMax + 1)).toString();
  if (from === 0) return malformed(explain(text, "body"));
  // An item begins inside the list, so its opening bracket is added.
  return malformed(explain(`[${text}`, "body", startOf(body, from - 1)));
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const beginning: Place = { line: 1, column: 1 };

export function explain(whole: string, source: JsonSource, start: Place = beginning): string {
  if (whole.startsWith("\ufeff")) {
    return `The ${source} begins with a byte order mark; send it without one (RFC 8259, section 8.1).`;
  }
  const text = whole.slice(0, explainedCharactersMax);
  const { at, isAfterEnd, isTooDeep } = findJsonSyntaxError(text);
  if (isTooDeep) return `The ${source} is nested deeper than ${limits.jsonDepthMax} levels.`;
  const what = `The ${source} is not valid JSON:`;
  // The cut may divide a number, a word or an escape.
  const isBeyond = text.length < whole.length && at > text.length - cutCharacters;
  if (at === text.length && !isBeyond) return `${what} it ends too early.`;
  const { line, column } = isBeyond ? start : placeOf(text, at, start);
  const place = source === "line" ? `column ${column}` : `line ${line}, column ${column}`;
  if (isBeyond) {
    return `${what} the mistake is more than ${explainedCharactersMax} characters after ${place}.`;
  }
  return isAfterEnd
    ? `${what} unexpected text after its end, at ${place}.`
    : `${what} unexpected text at ${place}.`;
}

function placeOf(text: string, at: number, start: Place): Place {
  let { line } = start;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", lineStart)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: at - lineStart + (line === start.line ? start.column : 1) };
}

function startOf(body: Buffer, at: number): Place {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < at; index += 1) {
    if (body[index] !== 0x0a) continue;
    line += 1;
    lineStart = index + 1;
  }
  return { line, column: body.subarray(lineStart, at).toString().length + 1 };
}

export function malformed(message: string): AppError {
  return new AppError("malformed_json", { message });
}

interface JsonSyntaxError {
  /** The offset of the first invalid UTF-16 unit; the length of the text if the end is missing. */
  readonly at: number;
  readonly isAfterEnd: boolean;
  readonly isTooDeep: boolean;
}

/** What may come next; `or end`: the list or object may also be closed. */
type Awaited = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

interface Scan {
  readonly text: string;
  at: number;
  awaited: Awaited;
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

function skip(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.at;
  if (!pattern.test(scan.text)) return false;
  scan.at = pattern.lastIndex;
  return true;
}

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
