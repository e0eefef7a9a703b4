// Erases the next records of an organization with their changes. Records are in the order of their keys, and changes in the
// order of arrival: records that arrived one after another have consecutive numbers, and their changes are removed by one
// statement, page by page of the file.

import {
  type ErasedPage,
  findEndOfChanges,
  type Page,
  removeChangesOfLast,
} from "../../sql/erase/organization-erasure.ts";
import { all, get, run, type Statements } from "../../sql/statement/statements.ts";

/** Greater than the name of every record type. */
const afterAllTypes = "~";

const readNumbers = `
  SELECT resource_type, record_no FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) < ($2, $3)`;

const removeChanges = `DELETE FROM change WHERE record_no BETWEEN $1 AND $2`;

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

/**
 * Erases a page, which ends before or in a record. If a page ends in a record, only the changes on the page are removed
 * from it, and earlier records are gone.
 */
export function* eraseNumberedRecords({ organizationId, rowsMax }: Page): Statements<ErasedPage> {
  const end = yield* get<{ resource_type: string; resource_id: string; change_no: number }>(
    findEndOfChanges,
    organizationId,
    rowsMax - 1,
    "",
    "",
  );
  const key = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  const rows = yield* all<NumberedRow>(readNumbers, organizationId, ...key);
  for (const [first, last] of rangesOf(rows)) yield* run(removeChanges, first, last);
  yield* run(removeRecords, organizationId, ...key);
  const erasedTypes = rows.map(({ resource_type }) => resource_type);
  if (end === undefined) return { erasedTypes, next: undefined };
  yield* run(removeChangesOfLast, organizationId, ...key, end.change_no);
  const removed = yield* run(removeLast, organizationId, ...key);
  if (removed === 1) erasedTypes.push(end.resource_type);
  return { erasedTypes, next: key };
}

/** Consecutive numbers together: no other record has a number in between. */
function rangesOf(rows: readonly NumberedRow[]): readonly (readonly [number, number])[] {
  const numbers = Float64Array.from(rows, ({ record_no }) => record_no).sort();
  const ranges: [number, number][] = [];
  let range: [number, number] | undefined;
  for (const number of numbers) {
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push((range = [number, number]));
  }
  return ranges;
}
