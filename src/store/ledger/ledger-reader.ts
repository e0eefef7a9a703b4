// Reads a ledger from its beginning, or only its end, in bounded memory. Distinguishes a torn end from damage: a crash
// can tear only the last append, after which nothing complete follows. Never changes the file.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { explainOpening, isPresent, requireReadable, statOf } from "../../files/present.ts";
import { noDigest } from "./ledger-frame.ts";
import {
  type LineContent,
  LineCutter,
  isWholeLine,
  type RawLine,
  readLine,
} from "./ledger-lines.ts";
import { emptyState, withPart } from "./ledger-state.ts";
import { StoreError } from "../interface/store-error.ts";
import type { LedgerPart, LedgerState } from "../interface/ledger.ts";

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
