// Redacts the references of kept reports to records of a restricted set, when that set is erased. While the set had to
// be kept, these reports were not changed. A reference that was stated again since then is a new one, and stays.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionOfSet, restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { type Reference, storeProgressOf } from "../plan/erasure.ts";
import { readChangesAfter, redactAll, storeRewritten } from "./rewrite.ts";
import { all, get, run, type Statements } from "../statement/statements.ts";

const findPending = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1
    --sqlite AND done = 0
    --postgres AND NOT done
  ORDER BY from_type, from_id, to_type, to_id LIMIT $2`;

const findAll = `
  SELECT * FROM restricted_reference
  WHERE deletion_request_id = $1 AND (from_type, from_id, to_type, to_id) > ($2, $3, $4, $5)
  ORDER BY from_type, from_id, to_type, to_id LIMIT $6`;

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

/** One statement reads this many changes. */
const changesAtOnce = 500;

interface ReferenceRow extends Omit<Reference, "deletion_request_id"> {
  /** The deletion that has moved the report; empty if the report stays. */
  readonly from_set: string;
}

/** Redacts the next references of a set, and stores the progress of its deletion. False if none is left. */
export function* redactKeptStep(
  deletion: Deletion,
  { rowsMax, act }: { readonly rowsMax: number; readonly act: Act },
): Statements<boolean> {
  const moving = deletionOfSet(deletion.deletionRequestId);
  if (deletion.restrictedOf === undefined || moving === undefined) return false;
  const rows = yield* all<ReferenceRow>(findPending, moving, rowsMax);
  if (rows.length === 0) return false;
  let redactedTypes: readonly string[] = [];
  for (const row of rows) {
    if (yield* rewriteReport(row, { write: true })) {
      redactedTypes = [...redactedTypes, row.from_type];
    }
    yield* mark(moving, row, true);
  }
  const progress = { deletion, done: [], erased: [], moved: [], redactedTypes };
  yield* storeProgressOf([progress], act);
  return true;
}

/** Searches the payloads again. False if a reference is left; then it is redacted again. */
export function* verifyKept({ deletionRequestId, restrictedOf }: Deletion): Statements<boolean> {
  const moving = deletionOfSet(deletionRequestId);
  if (restrictedOf === undefined || moving === undefined) return true;
  let isClean = true;
  let after: readonly [string, string, string, string] = ["", "", "", ""];
  for (;;) {
    const rows = yield* all<ReferenceRow>(findAll, moving, ...after, changesAtOnce);
    for (const row of rows) {
      if (!(yield* rewriteReport(row, { write: false }))) continue;
      yield* mark(moving, row, false);
      isClean = false;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < changesAtOnce) return isClean;
    after = [last.from_type, last.from_id, last.to_type, last.to_id];
  }
}

function* mark(moving: string, row: ReferenceRow, done: boolean): Statements<void> {
  const { from_type, from_id, to_type, to_id } = row;
  yield* run(setDone, moving, from_type, from_id, to_type, to_id, done);
}

/**
 * Locks a report: until the end of the transaction nobody else rewrites or moves it. False if it does not exist there.
 */
function* lockReport({ organizationId, resourceType, resourceId }: RecordKey): Statements<boolean> {
  return (yield* get(lockRow, organizationId, resourceType, resourceId)) !== undefined;
}

/** Whether the report contains the reference. If `rewrite` is set, rewrites the changes that contain it. */
function* rewriteReport(
  row: ReferenceRow,
  { write }: { readonly write: boolean },
): Statements<boolean> {
  const { from_type, from_id, from_set, to_type, to_id } = row;
  const organizationId = from_set === "" ? row.organization_id : restrictedId(from_set);
  const report = { organizationId, resourceType: from_type, resourceId: from_id };
  if (write && !(yield* lockReport(report))) return false;
  const key = [organizationId, from_type, from_id] as const;
  if ((yield* get(findRelation, ...key, to_type, to_id)) !== undefined) return false;
  const erased = new Map([[nodeKey(to_type, to_id), undefined]]);
  let found = false;
  let after = 0;
  for (;;) {
    const changes = yield* readChangesAfter(report, after, changesAtOnce);
    const rewritten = redactAll(changes, () => erased);
    found ||= rewritten.some((change) => change.after !== change.payload);
    if (found && !write) return true;
    yield* storeRewritten(rewritten);
    const last = changes.at(-1);
    if (last === undefined || changes.length < changesAtOnce) return found;
    after = last.change_no;
  }
}
