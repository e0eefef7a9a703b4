// References that remain in reports which have to be kept, although their target is erased or in a restricted set. They
// tell a set which reports keep it; when the set ends, they are redacted.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { Node } from "../../../domain/deletion/erasure.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { keyValues } from "../../shared/record-key.ts";
import { named as namedRows, columnsIn } from "../statement/named.ts";
import { findMovingDeletions } from "./relations.ts";
import { Rows, run, runTogether, type Statements } from "../statement/statements.ts";

const columns = "id, owner, from_type, from_id, from_set, to_type, to_id";

const insertReferences = `
  INSERT INTO restricted_reference
    (deletion_request_id, organization_id, from_type, from_id, from_set, to_type, to_id)
  SELECT ${columns} FROM ${namedRows(columns)}
  WHERE true
  ON CONFLICT DO NOTHING`;

const referencesAtOnce = 500;

const removeOfDeletion = `DELETE FROM restricted_reference WHERE deletion_request_id = $1`;

const reports = namedRows("owner", "type", "id");

const followReports = `
  UPDATE restricted_reference SET from_set = named.mover
  FROM ${namedRows("owner", "type", "id", "mover")}
  WHERE organization_id = named.owner AND from_type = named.type AND from_id = named.id AND from_set = ''`;

/**
 * Zero is in the past, so deletions that wait for these reports are evaluated again. The plus on SQLite and the array
 * on PostgreSQL make the engine find the sets by their ids; otherwise it would read all open deletions.
 */
const wakeSetsOf = (references: string) => `
  UPDATE deletion SET next_attempt_at = 0
  WHERE
    --sqlite +
    status IN ('pending', 'processing') AND deletion_request_id
    --sqlite IN (
    --postgres = ANY (ARRAY (
    SELECT 'restricted/' || restricted_reference.deletion_request_id FROM ${references}
    --postgres )
    )`;

const wakeSets = wakeSetsOf(`
    ${reports}
      JOIN restricted_reference ON restricted_reference.organization_id = named.owner
        AND from_type = named.type AND from_id = named.id AND from_set = ''`);

const ofSet = "restricted_reference WHERE organization_id = $1 AND from_set = $2";

const forgetReports = `
  DELETE FROM restricted_reference
  WHERE from_set = '' AND (organization_id, from_type, from_id) IN (
    SELECT named.owner, named.type, named.id FROM ${reports})`;

const wakeOthers = wakeSetsOf(ofSet);

const forgetReportsOfSet = `DELETE FROM ${ofSet}`;

/** A reference to what a deletion erases or moves, which remains in a report. */
export interface RemainingReference {
  readonly deletionRequestId: string;
  /** The report is still in its organization. */
  readonly report: RecordKey;
  readonly to: Node;
}

/** Runs with the writing of targets, so that no report leaves untracked; another mover is named from the beginning. */
export function* noteReferences(references: readonly RemainingReference[]): Statements<void> {
  for (let at = 0; at === 0 || at < references.length; at += referencesAtOnce) {
    const part = references.slice(at, at + referencesAtOnce);
    const moving = yield* findMovingDeletions(part.map(({ report }) => report));
    const rows = part.map(({ deletionRequestId, report, to }) => {
      const mover = moving.get(keyText(report)) ?? "";
      return [deletionRequestId, ...keyValues(report), mover, to.type, to.id];
    });
    yield* run(insertReferences, new Rows(rows, columnsIn(columns).length));
  }
}

export function* forgetReferencesOf(deletionRequestId: string): Statements<void> {
  yield* run(removeOfDeletion, deletionRequestId);
}

/** Removes the references from its reports, too: deletions that wait for these reports wait no longer. */
export function* forgetSet(restrictedOf: string, moving: string): Statements<void> {
  yield* forgetReferencesOf(moving);
  yield* run(wakeOthers, restrictedOf, moving);
  yield* run(forgetReportsOfSet, restrictedOf, moving);
}

export interface LeavingReports {
  /** The deletion that erases or moves them. */
  readonly deletion: Pick<Deletion, "deletionRequestId" | "organizationId">;
  readonly erased: readonly RecordKey[];
  readonly moved: readonly RecordKey[];
}

/** Those of a moved report name its set from now on, and those of an erased report are removed. */
export function* updateReferencesOf(leaving: readonly LeavingReports[]): Statements<void> {
  const moved = leaving.flatMap(({ deletion, moved: keys }) =>
    keys.map((key) => [...keyValues(key), deletion.deletionRequestId]),
  );
  const erased = leaving.flatMap(({ erased: keys }) => keys.map(keyValues));
  // Handles all keys, whether or not there is such a report, because the time must not disclose it.
  yield* runTogether([
    [followReports, new Rows(moved, 4)],
    [wakeSets, new Rows(erased, 3)],
    [forgetReports, new Rows(erased, 3)],
  ]);
}
