// The outcome of a write with one letter for each draft: small enough to store for an Idempotency-Key, and cheap to
// pass between threads. Contains nothing that WriteOutcome does not.

import { isWritten } from "../../domain/record/draft-outcome.ts";
import { AppError } from "../../domain/error.ts";
import type { DraftOutcome, RecordWrite, WriteOutcome } from "../../domain/record/record-write.ts";

export interface PackedOutcome {
  readonly written: number;
  readonly drafts: string;
}

const letters: Readonly<Record<DraftOutcome, string>> = {
  created: "c",
  updated: "u",
  unchanged: "n",
  identical_record_exists: "i",
  record_exists: "e",
  no_such_record: "m",
  deletion_open: "d",
  idempotency_reused: "k",
};

const outcomes: ReadonlyMap<string, DraftOutcome> = new Map(
  Object.entries(letters).map(([outcome, letter]) => [letter, outcome as DraftOutcome]),
);

export function packDrafts(drafts: readonly DraftOutcome[]): string {
  let packed = "";
  for (const outcome of drafts) packed += letters[outcome];
  return packed;
}

/** Precedes the letters of a repeated outcome. Never stored. */
const repeatedMark = "*";

/** Marks the outcome as one that was stored before. */
export function packRepeated({ written, drafts }: PackedOutcome): PackedOutcome {
  return { written, drafts: repeatedMark + drafts };
}

/** Writes each draft separately, with its own mark, by calling `perform`, and joins the outcomes. */
export function packEach(
  { marks = [], ...write }: RecordWrite,
  perform: (one: RecordWrite) => PackedOutcome,
): PackedOutcome {
  const each = write.drafts.map((draft, index) => {
    try {
      return perform({ ...write, drafts: [draft], idempotency: marks[index] });
    } catch (error) {
      if (isReused(error)) return { written: 0, drafts: letters.idempotency_reused };
      throw error;
    }
  });
  const isRepeated = each.every(({ drafts }) => drafts.startsWith(repeatedMark));
  const joined = each.map(({ drafts }) => drafts.replace(repeatedMark, "")).join("");
  const written = each.reduce((sum, outcome) => sum + outcome.written, 0);
  return { written, drafts: isRepeated ? repeatedMark + joined : joined };
}

/** The outcome of one draft, as if it had been written alone. */
export function packedAt({ drafts }: PackedOutcome, index: number): PackedOutcome {
  const letter = drafts.charAt(index);
  return { written: isWritten(unpackLetter(letter)) ? 1 : 0, drafts: letter };
}

function isReused(error: unknown): boolean {
  return error instanceof AppError && error.errorName === "idempotency_reused";
}

/**
 * The last outcome in which every draft was `created`; it is reused, as most writes have as many drafts as the previous
 * one.
 */
let allCreated: WriteOutcome = { written: 1, drafts: ["created"] };

export function unpackOutcome({ written, drafts }: PackedOutcome): WriteOutcome {
  if (written === drafts.length && written > 0 && drafts === letters.created.repeat(written)) {
    if (allCreated.written !== written) {
      allCreated = { written, drafts: Array.from(drafts, () => "created" as const) };
    }
    return allCreated;
  }
  if (!drafts.startsWith(repeatedMark)) {
    return { written, drafts: Array.from(drafts, unpackLetter) };
  }
  return { written, drafts: Array.from(drafts.slice(1), unpackLetter), repeated: true };
}

function unpackLetter(letter: string): DraftOutcome {
  const outcome = outcomes.get(letter);
  if (outcome === undefined) throw new TypeError(`"${letter}" stands for no outcome`);
  return outcome;
}

export type Result<Value> = Readonly<{ ok: true; value: Value } | { ok: false; error: AppError }>;

export function resultOf<Value>(work: () => Value): Result<Value> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}

/** Throws an error that the caller caused. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (!result.ok) throw result.error;
  return result.value;
}
