// The outcome of a write with a letter a draft: small enough to keep for an Idempotency-Key, and cheap to hand from one
// thread to another. Holds nothing that WriteOutcome does not.

import type { DraftOutcome, WriteOutcome } from "../../domain/record/record-write.ts";

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
};

const outcomes: ReadonlyMap<string, DraftOutcome> = new Map(
  Object.entries(letters).map(([outcome, letter]) => [letter, outcome as DraftOutcome]),
);

export function packDrafts(drafts: readonly DraftOutcome[]): string {
  let packed = "";
  for (const outcome of drafts) packed += letters[outcome];
  return packed;
}

/** Before the letters of an outcome that is given again. Never kept. */
const repeatedMark = "*";

/** Of a kept outcome. */
export function packRepeated({ written, drafts }: PackedOutcome): PackedOutcome {
  return { written, drafts: repeatedMark + drafts };
}

/** What nearly every write comes to. */
export function packCreated(count: number): PackedOutcome {
  return { written: count, drafts: letters.created.repeat(count) };
}

/** The last list of which all were created: most have as many as the one before. */
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
