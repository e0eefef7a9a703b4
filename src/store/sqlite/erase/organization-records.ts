// Erases the next records of an organization. Records are in the order of their keys, and changes in the order of
// arrival: nearly all changes were removed in that order before (change-order.ts). Records that arrived one after
// another have consecutive numbers, so one statement removes the remaining changes of several.

import {
  type ErasedPage,
  type Page,
  removeChangesOfLast,
} from "../../sql/erase/organization-erasure.ts";
import { all, get, run, type Statements } from "../../sql/statement/statements.ts";
import { rangesOf, removeChanges } from "./change-order.ts";

/** Greater than the name of every record type. */
const afterAllTypes = "~";

/** A record whose changes are gone takes half the time of a record with changes. */
const removedTimes = 2;

/** Counts a record without changes as a row. */
const findEnd = `
  SELECT resource_type, resource_id, change_no FROM record LEFT JOIN change USING (record_no)
  WHERE organization_id = $1
  ORDER BY resource_type, resource_id, change_no LIMIT 1 OFFSET $2`;

const readNumbers = `
  SELECT resource_type, record_no FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) < ($2, $3)`;

const removeRecords = `
  DELETE FROM record WHERE organization_id = $1 AND (resource_type, resource_id) < ($2, $3)`;

const removeLast = `
  DELETE FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND NOT EXISTS (SELECT 1 FROM change WHERE change.record_no = record.record_no)`;

interface NumberedRow {
  readonly resource_type: string;
  readonly record_no: number;
}

interface EndRow {
  readonly resource_type: string;
  readonly resource_id: string;
  /** Null if the record has no change. */
  readonly change_no: number | null;
}

/**
 * Erases a page, which ends before or within a record. If it ends within a record, only the changes on the page are
 * removed from it; earlier records are gone.
 */
export function* eraseNumberedRecords({ organizationId, rowsMax }: Page): Statements<ErasedPage> {
  const end = yield* get<EndRow>(findEnd, organizationId, rowsMax * removedTimes - 1);
  const key = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  const rows = yield* all<NumberedRow>(readNumbers, organizationId, ...key);
  const numbers = Float64Array.from(rows, ({ record_no }) => record_no).sort();
  for (const [first, last] of rangesOf(numbers)) yield* run(removeChanges, first, last);
  yield* run(removeRecords, organizationId, ...key);
  const erasedTypes = rows.map(({ resource_type }) => resource_type);
  if (end === undefined) return { erasedTypes, next: undefined };
  yield* run(removeChangesOfLast, organizationId, ...key, end.change_no ?? 0);
  const removed = yield* run(removeLast, organizationId, ...key);
  if (removed === 1) erasedTypes.push(end.resource_type);
  return { erasedTypes, next: key };
}
