// Moves a record that has to be kept to the restricted store: its row, its relations and its holds get the organization id of the
// restricted set. Its changes are stored by its number, and stay where they are.

import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { moveHolds } from "../../sql/restricted-hold.ts";
import type { Act } from "../../store.ts";
import { removeReplyOf } from "../commit/idempotency.ts";
import { readRecordNo } from "../commit/record.ts";
import type { Connection } from "../connection.ts";

const findReplied = `
  SELECT change_no, reply_key FROM change
  WHERE record_no = ? AND reply_key IS NOT NULL ORDER BY change_no LIMIT ?`;

const removeReplyKey = `UPDATE change SET reply_key = NULL WHERE record_no = ? AND change_no = ?`;

const moveRelations = `
  UPDATE relation SET organization_id = ?4
  WHERE organization_id = ?1 AND from_type = ?2 AND from_id = ?3`;

const moveRow = `
  UPDATE record SET organization_id = ?4
  WHERE organization_id = ?1 AND resource_type = ?2 AND resource_id = ?3`;

interface RepliedRow {
  readonly change_no: number;
  readonly reply_key: Uint8Array;
}

/** Removes the stored replies of up to `changesMax` changes; returns of how many. */
export function removeRepliesOfRecord(
  connection: Connection,
  key: RecordKey,
  changesMax: number,
): number {
  const recordNo = readRecordNo(connection, key);
  if (recordNo === undefined) return 0;
  const replied = connection.all<RepliedRow>(findReplied, recordNo, changesMax);
  for (const { change_no, reply_key } of replied) {
    removeReplyOf(connection, key.organizationId, reply_key);
    connection.run(removeReplyKey, recordNo, change_no);
  }
  return replied.length;
}

/** False if the record did not exist any more. Its stored replies have to be removed before. */
export function moveRecord(
  connection: Connection,
  key: RecordKey,
  deletionRequestId: string,
  act: Act,
): boolean {
  const { organizationId, resourceType, resourceId } = key;
  const set = restrictedId(deletionRequestId);
  connection.run(moveRelations, organizationId, resourceType, resourceId, set);
  connection.perform(moveHolds, [key], set, act);
  return connection.run(moveRow, organizationId, resourceType, resourceId, set) === 1;
}
