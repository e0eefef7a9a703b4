// Reads a ledger from its beginning, or only its end, in bounded memory. Distinguishes a torn end from damage: a crash
// can tear only the last append, after which nothing complete follows. Never changes the file. The same reads a file of
// receipts, whose lines are frames, receipts and others.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { explainOpening, isPresent, requireReadable, statOf } from "../../files/present.ts";
import { noDigest, followsFrame, type Frame, parseFrame } from "./ledger-frame.ts";
import { emptyState, withPart } from "./ledger-state.ts";
import { StoreError } from "../interface/store-error.ts";
import type { LedgerPart, LedgerState } from "../interface/ledger.ts";
import { hash } from "node:crypto";
import { entryOfReceipt, type LedgerEntry, readEntry } from "../../domain/deletion/ledger-entry.ts";
import { chainedText, isReceipt } from "../../domain/deletion/receipt.ts";
import { manifestLineStart } from "../../domain/export-manifest.ts";
import { invalid } from "../../domain/json/codec.ts";

/** How many bytes are read at once: several frames. */
const tailBytes = 256 * 1_024;
/** This is more than a torn append, including what a file system may add to it. */
const tornBytesMax = 2 * 64 * 1_024;

/** The beginning of error messages. */
export const ledgerName = "The ledger of deletions";

type ReadingOf = "own" | "other";

/** Reads a ledger; with `other`, also a file of receipts. Throws FileError, and StoreError that names the line. */
export async function* readLedgerParts(
  path: string,
  reading: ReadingOf,
): AsyncGenerator<LedgerPart> {
  const what = reading === "own" ? ledgerName : "The ledger";
  if (!isPresent(path, what)) return;
  // A ledger that can't be read must not be taken for an empty one.
  requireReadable(path, what);
  const walk = new LineWalk(path, { reading, start: 0 });
  const cutter = new LineCutter(0);
  for await (const part of createReadStream(path)) yield* walk.read(cutter.cut(part as Buffer));
  yield* walk.read(cutter.rest());
  walk.end();
}

/** Reads the end of a ledger. Throws StoreError for damage, and FileError. */
export async function readLedgerState(path: string): Promise<LedgerState> {
  const size = statOf(path, ledgerName)?.size ?? 0;
  if (size === 0) return emptyState;
  requireReadable(path, ledgerName);
  const from = Math.max(0, size - tailBytes);
  const bytes = await readBytes(path, from, size).catch((cause: unknown) => {
    throw explainOpening(cause, ledgerName, path);
  });
  const firstLine = from === 0 ? 0 : bytes.indexOf(0x0a) + 1;
  const start = from + firstLine;
  const walk = new LineWalk(path, { reading: "own", start });
  const cutter = new LineCutter(start);
  const parts = [...walk.read(cutter.cut(bytes.subarray(firstLine))), ...walk.read(cutter.rest())];
  if (parts.length === 0 && from > 0) throw damaged(path, `at byte ${start}`);
  walk.end();
  const { whole, terminated } = walk;
  const state = parts.reduce(withPart, emptyState);
  return { ...state, bytes: whole, tornBytes: size - whole, terminated };
}

interface LineWalkOptions {
  readonly reading: ReadingOf;
  readonly start: number;
}

/** Reads line by line, and verifies that each follows the previous one. */
class LineWalk {
  /** The end of the last complete line. */
  whole: number;
  terminated = true;
  readonly #path: string;
  readonly #options: LineWalkOptions;
  #previous: string | undefined;
  #framed = false;
  #isBlank = true;
  #line = 0;
  #bad: { readonly line: number; readonly start: number } | undefined;
  #size: number;

  constructor(path: string, options: LineWalkOptions) {
    this.#path = path;
    this.#options = options;
    this.whole = options.start;
    this.#size = options.start;
  }

  *read(lines: Iterable<RawLine>): Generator<LedgerPart> {
    for (const line of lines) {
      this.#line += 1;
      this.#size = line.end;
      if (this.#bad !== undefined) {
        if (isWholeLine(line)) throw this.#damaged();
        continue;
      }
      const content = readLine(line, {
        previous: () => this.#previous ?? this.#beforeFirstFrame(line),
        receiptsAllowed: this.#options.reading === "other" && !this.#framed,
      });
      if (content.is === "bad") {
        this.#bad = { line: this.#line, start: line.start };
        continue;
      }
      this.#accept(line, content);
      if (content.is === "frame") {
        const { digest } = content.frame;
        yield { entries: content.entries, end: line.start + lengthOf(line), digest };
      } else if (content.is === "receipt") {
        yield { entries: [content.entry], end: line.start + lengthOf(line), digest: undefined };
      }
    }
  }

  /** Throws unless the rest can be the result of a crash. */
  end(): void {
    if (this.#bad === undefined) return this.#requireContent();
    const { reading } = this.#options;
    const isTorn = this.#size - this.#bad.start <= tornBytesMax;
    if (isTorn && (reading === "own" || this.#framed)) return;
    if (!isTorn || reading === "own") throw this.#damaged();
    throw new StoreError(
      `${this.#path} is not a ledger or a file of receipts, or its end is missing: line ${this.#bad.line} is neither an ` +
        "entry nor a receipt. Copy it again: deletions that it lacks would not be replayed.",
    );
  }

  /** A ledger has at least its first entry, and a file of receipts at least its manifest. */
  #requireContent(): void {
    if (!this.#isBlank || this.#options.reading === "own") return;
    throw new StoreError(
      `${this.#path} is empty: it is not a ledger or a file of receipts. Copy it again: deletions that it lacks would not be ` +
        "replayed.",
    );
  }

  #accept(line: RawLine, content: LineContent): void {
    if (line.bytes?.length !== 0) this.#isBlank = false;
    // A skipped line at the end is harmless, although nothing is appended to it.
    this.whole = line.end;
    this.terminated = line.terminated;
    if (content.is === "frame") {
      this.#previous = content.frame.digest;
      this.#framed = true;
    }
  }

  /** Returns the digest before the first frame, if the beginning of the file was read. */
  #beforeFirstFrame({ start }: RawLine): string | undefined {
    if (start === 0) return noDigest;
    return this.#options.start === 0 ? "" : undefined;
  }

  #damaged(): StoreError {
    const { line = 0, start = 0 } = this.#bad ?? {};
    const place = this.#options.start === 0 ? `line ${line}` : `byte ${start}`;
    return damaged(this.#path, place);
  }
}

function lengthOf({ start, end, terminated }: RawLine): number {
  return end - start - (terminated ? 1 : 0);
}

async function readBytes(path: string, from: number, to: number): Promise<Buffer> {
  await using file = await open(path, "r");
  const bytes = Buffer.alloc(to - from);
  const { bytesRead } = await file.read({ buffer: bytes, position: from });
  return bytes.subarray(0, bytesRead);
}

function damaged(path: string, place: string): StoreError {
  return new StoreError(
    `The ledger of deletions ${path} is damaged at ${place}: this is neither an entry nor a receipt, and not the torn end ` +
      "that a crash leaves. Replace it with an undamaged copy. If there is none, move the damaged file elsewhere and start " +
      "without it: a new ledger is then created from the receipts and holds in the store.",
  );
}

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
  return isReceipt(value) ? entryOfReceipt(value, hash("sha256", chainedText(value))) : undefined;
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
