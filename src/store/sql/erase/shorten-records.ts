// Removes the changes of records with many changes in parts, on an engine where writers wait for them.

import { type KeyRow, rowKeyText, uniqueKeys } from "../../shared/record-key.ts";
import { all, run, type Statements } from "../statement/statements.ts";
import { existingRecords, keyRows } from "../statement/named.ts";
import { changeAfter } from "../record/changes.ts";
import { readFirstNamed, replaceEntries } from "../party/entries.ts";
import { removeRepliesOf } from "./replies.ts";
import { partUpTo, type PlanPart } from "../plan/erasure.ts";

/** Removes a part of the changes of one record that has many. */
const removeSomeChanges = `
  DELETE FROM change
  --sqlite WHERE record_no = $1 AND change_no IN (
  --sqlite   SELECT change_no FROM change WHERE record_no = $1 ORDER BY change_no LIMIT $2)
  --postgres WHERE false
  RETURNING reply_key`;

const findSomeReplied = `
  SELECT change_no, reply_key FROM change
  --sqlite WHERE record_no = $1 AND reply_key IS NOT NULL ORDER BY change_no LIMIT $2
  --postgres WHERE false
  `;

const forgetReplies = `
  UPDATE change SET reply_key = NULL
  --sqlite WHERE record_no = $1 AND change_no <= $2 AND reply_key IS NOT NULL
  --postgres WHERE false
  `;

/** A record with more changes than this is erased separately. */
const changesMax = 16;

const findLong = `
  SELECT record_no, named.organization_id, named.resource_type, named.resource_id
  FROM ${existingRecords}
  WHERE EXISTS (${changeAfter} ${changesMax})`;

interface LongRow extends KeyRow {
  readonly record_no: number;
}

/** Removes up to `max` changes of a long record, or only their replies if the record is moved; returns how many. */
function* shortenRecord(
  row: LongRow,
  { max, isMoved }: { readonly max: number; readonly isMoved: boolean },
): Statements<number> {
  const { record_no, organization_id } = row;
  const sql = isMoved ? findSomeReplied : removeSomeChanges;
  const entries = isMoved ? [] : yield* readFirstNamed(row, max);
  const rows = yield* all<{ change_no: number; reply_key: Uint8Array | null }>(sql, record_no, max);
  if (entries.length > 0) yield* replaceEntries({ remove: entries, add: [] });
  yield* removeRepliesOf(rows.map(({ reply_key }) => ({ organization_id, reply_key })));
  const last = rows.at(-1);
  if (isMoved && last !== undefined) yield* run(forgetReplies, record_no, last.change_no);
  return rows.length;
}

/** How many changes of long records one transaction removes if writers wait for it. */
export const longChangesMax = 2_000;

/** Writers wait for it: a record that still has changes ends the part. Confidential records have their own bound. */
export function* shortenRecords(parts: readonly PlanPart[]): Statements<readonly PlanPart[]> {
  const going = parts.flatMap(({ targets }) => targets).filter(({ action }) => action === "erase");
  if (going.length === 0) return parts;
  const long = yield* all<LongRow>(findLong, keyRows(uniqueKeys(going)));
  const rows = new Map(long.map((row) => [rowKeyText(row), row]));
  const left = { open: longChangesMax, confidential: longChangesMax };
  const bounded: PlanPart[] = [];
  for (const part of parts) {
    let end: number | undefined;
    for (const [index, target] of part.targets.entries()) {
      const row = target.action === "erase" ? rows.get(rowKeyText(target)) : undefined;
      if (row === undefined) continue;
      const kind = part.isConfidential(target) ? "confidential" : "open";
      const isMoved = Boolean(target.restricted);
      if (left[kind] > 0) left[kind] -= yield* shortenRecord(row, { max: left[kind], isMoved });
      if (left[kind] > 0) continue;
      end = index;
      break;
    }
    bounded.push(partUpTo(part, end));
  }
  return bounded;
}
