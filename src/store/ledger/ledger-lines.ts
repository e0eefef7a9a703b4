// Classifies the lines of a ledger, or of a file of receipts: frames, receipts, and other lines. Works on bytes in
// bounded memory; opens no file.

import { hash as digest } from "node:crypto";
import { entryOfReceipt, type LedgerEntry, readEntry } from "../../domain/deletion/ledger-entry.ts";
import { chainedText, isReceipt } from "../../domain/deletion/receipt.ts";
import { manifestLineStart } from "../../domain/export-manifest.ts";
import { invalid } from "../../domain/json/codec.ts";
import { followsFrame, type Frame, parseFrame } from "./ledger-frame.ts";

/** Longer than any line that is written: a frame with its head, or a receipt. */
const lineBytesMax = 128 * 1_024;

const newline = 0x0a;

/** A line without its newline. `bytes` is undefined if the line is longer than any that is written. */
export interface RawLine {
  readonly bytes: Buffer | undefined;
  readonly start: number;
  /** The offset of the next line. */
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

  /** Yields what follows the last newline. */
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
  | { readonly is: "receipt"; readonly entry: LedgerEntry }
  /** An empty line between receipts, or the manifest of their export. */
  | { readonly is: "skipped" }
  | { readonly is: "bad" };

export interface LineContext {
  /** The digest of the previous frame; undefined if it is unknown. */
  readonly previous: () => string | undefined;
  /** False in a ledger, which has only frames. */
  readonly receiptsAllowed: boolean;
}

export function readLine({ bytes }: RawLine, context: LineContext): LineContent {
  if (bytes === undefined) return { is: "bad" };
  if (bytes.length === 0) return { is: context.receiptsAllowed ? "skipped" : "bad" };
  const frame = parseFrame(bytes);
  if (frame !== undefined) return readFrame(frame, context);
  if (context.receiptsAllowed && bytes.indexOf(manifestLineStart) === 0) return { is: "skipped" };
  const entry = context.receiptsAllowed ? readReceipt(bytes) : undefined;
  return entry === undefined ? { is: "bad" } : { is: "receipt", entry };
}

/** A receipt contains the same about a deletion as an entry. */
function readReceipt(bytes: Buffer): LedgerEntry | undefined {
  const value = parseJson(bytes.toString());
  return isReceipt(value) ? entryOfReceipt(value, digest("sha256", chainedText(value))) : undefined;
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

/** True for a complete frame or receipt, even if it does not follow the previous line. */
export function isWholeLine({ bytes }: RawLine): boolean {
  if (bytes === undefined || bytes.length === 0) return false;
  return parseFrame(bytes) !== undefined || readReceipt(bytes) !== undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
