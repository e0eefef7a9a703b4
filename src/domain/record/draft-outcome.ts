// Decides the outcome of a draft: created, updated, unchanged, or refused and why; and the result of its list. The one
// rule for every engine, whatever its lookups. Pure.

import type { DraftOutcome, RecordRefusal, WriteMode } from "./record-write.ts";

/** Functions, because each may need a lookup: each is called at most once, and only if it matters. */
export interface RecordFacts {
  readonly isClosed: () => boolean;
  readonly exists: () => boolean;
  /** True if a change of the record has the payload of the draft. Asked only of a record that exists. */
  readonly hasIdentical: () => boolean;
}

export function decideOutcome(mode: WriteMode, facts: RecordFacts): DraftOutcome {
  if (facts.isClosed()) return "deletion_open";
  if (!facts.exists()) return mode === "update" ? "no_such_record" : "created";
  if (mode === "update") return "updated";
  const identical = facts.hasIdentical();
  if (mode === "add") return identical ? "identical_record_exists" : "record_exists";
  return identical ? "unchanged" : "updated";
}

/** True if a change is stored for the draft, unless its list is refused. */
export function isWritten(outcome: DraftOutcome): boolean {
  return outcome === "created" || outcome === "updated";
}

export function isRefused(outcome: DraftOutcome): outcome is RecordRefusal {
  return !isWritten(outcome) && outcome !== "unchanged";
}

/** True for a strict list with a refused draft: then nothing of the list is stored. */
export function isListRefused(
  outcomes: readonly DraftOutcome[],
  { lenient }: { readonly lenient: boolean },
): boolean {
  return !lenient && outcomes.some(isRefused);
}

/** How many changes are stored for a list. */
export function countWritten(
  outcomes: readonly DraftOutcome[],
  options: { readonly lenient: boolean },
): number {
  return isListRefused(outcomes, options) ? 0 : outcomes.filter(isWritten).length;
}
