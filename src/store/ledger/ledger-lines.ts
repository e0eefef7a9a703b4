// Classifies the lines of a ledger: frames, lines of older ledgers and receipts, torn lines, and damage. Works on bytes in
// bounded memory; opens no file.

import { readEntry } from "../../domain/deletion/ledger-codec.ts";
import type { LedgerEntry } from "../../domain/deletion/ledger-entry.ts";
import { invalid } from "../../domain/json/codec.ts";
import { followsFrame, type Frame, parseFrame } from "./ledger-frame.ts";
import { readPlainLine } from "./ledger-text.ts";

/** Longer than any line that is written: a frame with its head, or a receipt. */
const lineBytesMax = 128 * 1_024;

const newline = 0x0a;

/** A line without its newline. `bytes` is undefined for a line longer than any that is written. */
export interface RawLine {
  readonly bytes: Buffer | undefined;
  readonly start: number;
  /** Where the next line begins. */
  readonly end: number;
  readonly terminated: boolean;
}

/** Splits consecutive parts of a file into lines. */
export class LineCutter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #start: number;

  constructor(start: number) {
    this.#start = start;
  }

  *cut(part: Buffer): Generator<RawLine> {
    let from = 0;
    for (let at = part.indexOf(newline); at >= 0; at = part.indexOf(newline, from)) {
      this.#hold(part.subarray(from, at));
      yield this.#take(true);
      from = at + 1;
    }
    this.#hold(part.subarray(from));
  }

  /** What follows the last newline. */
  *rest(): Generator<RawLine> {
    if (this.#heldBytes > 0) yield this.#take(false);
  }

  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= lineBytesMax) this.#held.push(Buffer.from(bytes));
    else this.#held = [];
  }

  #take(terminated: boolean): RawLine {
    const bytes = this.#heldBytes > lineBytesMax ? undefined : Buffer.concat(this.#held);
    const start = this.#start;
    const end = start + this.#heldBytes + (terminated ? 1 : 0);
    this.#held = [];
    this.#heldBytes = 0;
    this.#start = end;
    return { bytes, start, end, terminated };
  }
}

export type LineContent =
  | { readonly is: "frame"; readonly frame: Frame; readonly entries: readonly LedgerEntry[] }
  | { readonly is: "plain"; readonly entry: LedgerEntry }
  /** Torn by a crash, as older versions left it, or empty. */
  | { readonly is: "skipped" }
  | { readonly is: "bad" };

export interface LineContext {
  /** The digest of the previous frame; undefined if it is unknown. */
  readonly previous: () => string | undefined;
  /** False after the first frame, which only frames may follow. */
  readonly plainAllowed: boolean;
}

export function readLine({ bytes }: RawLine, context: LineContext): LineContent {
  if (bytes === undefined) return { is: "bad" };
  if (bytes.length === 0) return { is: context.plainAllowed ? "skipped" : "bad" };
  const frame = parseFrame(bytes);
  if (frame !== undefined) return readFrame(frame, context);
  if (!context.plainAllowed) return { is: "bad" };
  const text = bytes.toString();
  const entry = readPlainLine(parseJson(text));
  if (entry !== undefined) return { is: "plain", entry };
  return { is: isTornLine(text) ? "skipped" : "bad" };
}

function readFrame(frame: Frame, { previous }: LineContext): LineContent {
  const before = previous();
  if (before !== undefined && !followsFrame(frame, before)) return { is: "bad" };
  const values = parseJson(frame.json);
  if (!Array.isArray(values)) return { is: "bad" };
  const entries = values.map(readEntry);
  if (entries.includes(invalid)) return { is: "bad" };
  return { is: "frame", frame, entries: entries as readonly LedgerEntry[] };
}

/** True for a complete frame, entry or receipt, though it may not follow the previous line. */
export function isWholeLine({ bytes }: RawLine): boolean {
  if (bytes === undefined || bytes.length === 0) return false;
  return (
    parseFrame(bytes) !== undefined || readPlainLine(parseJson(bytes.toString())) !== undefined
  );
}

const oldLineStart = '{"organization_id":';

/**
 * A line of an older ledger of which a crash has left only the beginning, or zeros. Older versions began a new line after it. A
 * truncated receipt is not torn but damaged: it comes from an export, which was complete once.
 */
function isTornLine(text: string): boolean {
  if (text.startsWith("\0")) return true;
  if (!text.startsWith(oldLineStart)) return oldLineStart.startsWith(text);
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inText && sign === "\\") at += 1;
    else if (sign === '"') inText = !inText;
    else if (!inText && sign === "{") depth += 1;
    else if (!inText && sign === "}") depth -= 1;
  }
  return inText || depth > 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
