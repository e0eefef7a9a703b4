// Redacts the references of kept reports to records of a restricted set, when that set is erased. While the set had to
// be kept, these reports were not changed. A reference that was stated again since then is a new one, and stays.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionOfSet, restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { Act } from "../../interface/act.ts";
import { readCursorOf, storeCursor, storeVerified } from "../plan/claim.ts";
import { type Processing, type Reference, storeProgressOf } from "../plan/erasure.ts";
import { readChangesAfter, ReadBudget } from "../record/changes.ts";
import { redactAll, storeRewritten } from "./rewrite.ts";
import { all, get, run, type Statements } from "../statement/statements.ts";
import { keyValues } from "../../shared/record-key.ts";

const findPending = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1
    --sqlite AND done = 0
    --postgres AND NOT done
  ORDER BY from_type, from_id, to_type, to_id LIMIT $2`;

const findAll = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1 ORDER BY from_type, from_id, to_type, to_id LIMIT $2`;

const forget = `
  DELETE FROM restricted_reference
  WHERE deletion_request_id = $1 AND from_type = $2 AND from_id = $3
    AND to_type = $4 AND to_id = $5`;

const setDone = `
  UPDATE restricted_reference SET done = $6
  WHERE deletion_request_id = $1 AND from_type = $2 AND from_id = $3
    AND to_type = $4 AND to_id = $5`;

const findRelation = `
  SELECT 1 FROM relation
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 AND to_type = $4 AND to_id = $5`;

const lockRow = `
  SELECT 1 FROM record WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  --postgres FOR NO KEY UPDATE
  `;

const referencesAtOnce = 500;

interface ReferenceRow extends Omit<Reference, "deletion_request_id"> {
  /** The deletion that has moved the report; empty if the report stays. */
  readonly from_set: string;
}

/** Within a report with many changes: where the next step continues. */
interface Cursor {
  readonly reference: ReferenceKey;
  /** The last change that was rewritten. */
  readonly after: number;
  /** Whether a change up to there contained the reference. */
  readonly found: boolean;
}

type ReferenceKey = readonly [from_type: string, from_id: string, to_type: string, to_id: string];

/** Redacts the next references of a set, and stores the progress of its deletion. False if none is left. */
export function* redactKeptStep(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  { rowsMax, act }: { readonly rowsMax: number; readonly act: Act },
): Statements<boolean> {
  const moving = deletionOfSet(deletion.deletionRequestId);
  if (deletion.restrictedOf === undefined || moving === undefined) return false;
  const rows = yield* all<ReferenceRow>(findPending, moving, rowsMax);
  if (rows.length === 0) return false;
  const budget = new ReadBudget();
  let next: Cursor | undefined;
  const redactedTypes: string[] = [];
  for (const row of rows) {
    const part = yield* rewriteReport(row, { from: beginningOf(row, cursor), budget, write: true });
    next = part.isLast ? undefined : part.cursor;
    if (next !== undefined) break;
    if (part.cursor.found) redactedTypes.push(row.from_type);
    yield* run(setDone, moving, ...keyOf(row), true);
  }
  yield* storeCursor(deletion, next === undefined ? null : JSON.stringify(next));
  const progress = { deletion, done: [], erased: [], moved: [], redactedTypes };
  yield* storeProgressOf([progress], act);
  return true;
}

/** A bounded part at a time. What is verified is forgotten; a reference that is left is redacted again. */
export function* verifyKept(deletion: Deletion, now: number): Statements<"clean" | Unverified> {
  const moving = deletionOfSet(deletion.deletionRequestId);
  if (deletion.restrictedOf === undefined || moving === undefined) return "clean";
  const rows = yield* all<ReferenceRow>(findAll, moving, referencesAtOnce);
  if (rows.length === 0) return "clean";
  const cursor = yield* readCursorOf(deletion);
  const budget = new ReadBudget();
  let result: "clean" | Unverified = rows.length < referencesAtOnce ? "clean" : "partly";
  let next: Cursor | undefined;
  for (const row of rows) {
    const part = yield* rewriteReport(row, {
      from: beginningOf(row, cursor),
      budget,
      write: false,
    });
    if (part.cursor.found) {
      yield* run(setDone, moving, ...keyOf(row), false);
      result = "found";
    } else if (part.isLast) yield* run(forget, moving, ...keyOf(row));
    else {
      if (result === "clean") result = "partly";
      next = part.cursor;
      break;
    }
  }
  yield* storeVerified(deletion, result === "found" ? undefined : next, now);
  return result;
}

function keyOf({ from_type, from_id, to_type, to_id }: ReferenceRow): ReferenceKey {
  return [from_type, from_id, to_type, to_id];
}

/** Where the step begins within the report of a reference. */
function beginningOf(row: ReferenceRow, cursor: string | null): Cursor {
  const begun = cursor === null ? undefined : (JSON.parse(cursor) as Partial<Cursor>);
  const reference = keyOf(row);
  const { after = 0, found = false } = begun ?? {};
  const isBegun = isDeepStrictEqual(begun?.reference, reference);
  return isBegun ? { reference, after, found } : { reference, after: 0, found: false };
}

interface ReportPart {
  readonly from: Cursor;
  readonly budget: ReadBudget;
  readonly write: boolean;
}

/** Whether the changes of a report up to here contain the reference. If `write` is set, rewrites those that do. */
function* rewriteReport(
  row: ReferenceRow,
  { from, budget, write }: ReportPart,
): Statements<{ readonly cursor: Cursor; readonly isLast: boolean }> {
  const none = { cursor: from, isLast: true };
  const { from_type, from_id, from_set, to_type, to_id } = row;
  const organizationId = from_set === "" ? row.organization_id : restrictedId(from_set);
  const report = { organizationId, resourceType: from_type, resourceId: from_id };
  const key = keyValues(report);
  // Until the end of the transaction nobody else rewrites or moves the report.
  if (write && (yield* get(lockRow, ...key)) === undefined) return none;
  if ((yield* get(findRelation, ...key, to_type, to_id)) !== undefined) return none;
  const erased = new Map([[nodeKey(to_type, to_id), undefined]]);
  const { changes, isLast } = yield* readChangesAfter(report, from.after, budget);
  const rewritten = redactAll(changes, () => erased);
  const found = from.found || rewritten.some((change) => change.after !== change.payload);
  if (write) yield* storeRewritten(rewritten);
  const after = changes.at(-1)?.change_no ?? from.after;
  return { cursor: { ...from, after, found }, isLast };
}

/** `found`: a reference is left, and will be redacted again. `partly`: there is more to search. */
export type Unverified = "found" | "partly";
