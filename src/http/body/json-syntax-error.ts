// Says where a body is not valid JSON. Never repeats what was sent.

import { isUtf8 } from "node:buffer";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

export type JsonSource = "body" | "line";

/** How much is read to find a mistake: reading all of a large body would take seconds. */
const explainedBytesMax = 128 * 1_024;
/** How much of a token may stand before a cut and look like a mistake. */
const cutCharacters = 8;
const lineFeed = 0x0a;

/** The error of bytes that are not JSON. What precedes `from` is: the beginning of a list, up to an item. */
export function describeJsonError(bytes: Buffer, source: JsonSource = "body", from = 0): AppError {
  return new AppError("malformed_json", { message: explain(bytes, source, from) });
}

function explain(bytes: Buffer, source: JsonSource, from: number): string {
  if (bytes.length === 0) return `The ${source} is empty; send JSON.`;
  if (!isUtf8(bytes.subarray(from))) return `The ${source} is not valid UTF-8.`;
  const text = bytes.toString("utf8", from, from + explainedBytesMax);
  if (from === 0 && text.startsWith("\ufeff")) {
    return `The ${source} begins with a byte order mark; send it without one (RFC 8259, section 8.1).`;
  }
  // An item is inside the list, so its opening bracket is added.
  const opening = from === 0 ? "" : "[";
  const { at, open } = scanJson(opening + text);
  if (open.length > limits.jsonDepthMax)
    return `The ${source} is nested deeper than ${limits.jsonDepthMax} levels.`;
  const what = `The ${source} is not valid JSON`;
  const end = at - opening.length;
  // The cut may divide a number, a word or an escape.
  if (from + explainedBytesMax < bytes.length && end > text.length - cutCharacters)
    return `${what}.`;
  if (end === text.length) return `${what}: it ends too early.`;
  const before = bytes.subarray(0, from + Buffer.byteLength(text.slice(0, end)));
  return `${what}: unexpected text at ${endOf(before, source)}.`;
}

function endOf(bytes: Buffer, source: JsonSource): string {
  const column = bytes.toString("utf8", bytes.lastIndexOf(lineFeed) + 1).length + 1;
  if (source === "line") return `column ${column}`;
  let line = 1;
  // A call for each line feed would take a second where nearly every byte is one.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === lineFeed) line += 1;
  return `line ${line}, column ${column}`;
}

/** What may come next; `or end`: the list or object may also be closed. */
type Awaited = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

interface Scan {
  readonly text: string;
  /** In the end, the offset of the first invalid UTF-16 unit; the length of the text if the end is missing. */
  at: number;
  awaited: Awaited;
  readonly open: ("{" | "[")[];
}

function scanJson(text: string): Scan {
  const scan: Scan = { text, at: 0, awaited: "value", open: [] };
  do skip(scan, blanks);
  while (scan.at < text.length && scan.open.length <= limits.jsonDepthMax && step(scan));
  return scan;
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
