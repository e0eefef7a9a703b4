// Verifies that references were redacted: searches the payloads themselves, not the relations that the redaction used.
// One transaction searches a bounded part; what it has verified is removed from the plans, and the cursor of a deletion
// is where it continues within a record with many changes.

import { storeVerified } from "../plan/claim.ts";
import {
  placesOf,
  type PlanPart,
  type Processing,
  removeTargets,
  type TargetRow,
} from "../plan/erasure.ts";
import { among } from "../statement/named.ts";
import { run, type Statements } from "../statement/statements.ts";
import {
  cursorAfter,
  isRedaction,
  readCursors,
  readRedactions,
  type Redaction,
} from "../erase/redaction.ts";
import { refersTo } from "../erase/rewrite.ts";
import type { Unverified } from "../erase/redact-kept.ts";

const doAgain = `
  UPDATE deletion_target SET done = false
  ${among("FROM", "deletion_target", ["deletion_request_id", "position bigint"])}`;

/** The empty text differs from every id. */
const anyPseudonym = "";

/** A deletion that is missing in the result has no reference left in this part of its plan. */
export function* verifyRedactions(
  parts: readonly PlanPart[],
  processing: readonly Processing[],
  now: number,
): Statements<ReadonlyMap<string, Unverified>> {
  const results = new Map<string, Unverified>();
  if (!parts.some(({ targets }) => targets.some(isRedaction))) return results;
  const cursors = readCursors(processing, "verifying");
  const read = yield* readRedactions(parts, cursors);
  const left = new Set<TargetRow>();
  const verified: TargetRow[] = [];
  for (const { part, isWhole, whole, begun } of read) {
    const { deletion } = part;
    const { deletionRequestId: id } = deletion;
    const found = [...whole, ...(begun ? [begun] : [])].flatMap(findLeft);
    for (const target of found) left.add(target);
    if (found.length > 0) results.set(id, "found");
    else if (!isWhole) results.set(id, "partly");
    const next = begun && found.length === 0 ? cursorAfter(begun) : undefined;
    if (next !== undefined || cursors.has(id)) yield* storeVerified(deletion, next, now);
    // Nothing is searched twice if there is more to search.
    if (results.has(id)) verified.push(...whole.flatMap(({ targets }) => targets));
  }
  if (left.size > 0) yield* run(doAgain, placesOf([...left]));
  const clean = verified.filter((target) => !left.has(target));
  if (clean.length > 0) yield* removeTargets(clean);
  return results;
}

/** The targets whose reference is left. */
function findLeft({ targets, changes }: Redaction): readonly TargetRow[] {
  return targets.filter(({ to_type: type, to_id: id }) => {
    const to = { type: type ?? "", id: id ?? "" };
    return changes.some((change) => refersTo(change, to, anyPseudonym));
  });
}
