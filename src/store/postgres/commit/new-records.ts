// Stores a group in one round trip on the assumption that every draft is a new record. The last statement before the
// commit verifies the assumption: if it is wrong, the statement and the transaction fail.

import { type StoredReply } from "../../group/group-replies.ts";
import type { GroupEvaluation } from "../../group/evaluate-group.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { Database } from "../database.ts";
import { hasState } from "../failure.ts";
import { addReplies } from "../../sql/access/idempotency.ts";
import { appendChanges, insertNewRecords, organizationsOf } from "./record.ts";
import { keyColumns } from "../../shared/record-key.ts";
import { joinOpenDeletion } from "../erase/closed-record.ts";
import { addRelations, relationsOf } from "../erase/relation.ts";
import type { Visibility } from "../../sql/statement/visibility.ts";
import { joinTargets } from "../../sql/statement/named.ts";
import { textFor } from "../../sql/statement/statements.ts";
import type { Transaction } from "../transaction.ts";
import { inSequence } from "./settle-all.ts";

/**
 * A record that existed before has more changes than the group inserted; one that is closed by a deletion is named by
 * the deletion or its plan; a reply that another process stored has another fingerprint. Fails with a division by zero:
 * this error reveals nothing about stored data in the server's log.
 */
const requireNew = `
  SELECT 1 / CASE WHEN
    (SELECT count(*)
     FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
       JOIN change USING (organization_id, resource_type, resource_id)) = $4
    AND (SELECT count(*)
     FROM unnest($5::text[], $6::bytea[], $7::bytea[]) AS named (organization_id, key_hash, fingerprint)
       JOIN idempotent_reply USING (organization_id, key_hash, fingerprint)) = $8
    AND NOT EXISTS (
      SELECT 1
      FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
        ${joinOpenDeletion})
    AND (NOT EXISTS (SELECT 1 FROM deletion WHERE status = 'processing') OR NOT EXISTS (
      SELECT 1
      FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
        ${textFor("postgres", joinTargets)}
      WHERE action = 'erase'))
    AND NOT EXISTS (
      SELECT 1 FROM organization
      WHERE organization_id = ANY ($9::text[]) AND closed_at IS NOT NULL)
  THEN 1 ELSE 0 END AS sound`;

const divisionByZero = "22012";

export interface GuessedGroup {
  readonly visibility: Visibility;
  readonly writes: readonly RecordWrite[];
  readonly evaluated: GroupEvaluation;
}

/** False if not all records were new, or an organization is closed; then nothing was stored. */
export async function storeNew(database: Database, group: GuessedGroup): Promise<boolean> {
  try {
    await database.inOneGo(group.visibility, (transaction) => sendAll(transaction, group));
    return true;
  } catch (error) {
    if (hasState(error, divisionByZero)) return false;
    throw error;
  }
}

async function sendAll(
  transaction: Transaction,
  { writes, evaluated }: GuessedGroup,
): Promise<void> {
  const { changes, replies } = evaluated;
  const { created } = evaluated.records;
  await inSequence([
    insertNewRecords(transaction, created),
    appendChanges(transaction, changes),
    addRelations(transaction, relationsOf(changes)),
    transaction.perform(addReplies, replies),
    transaction.run(
      requireNew,
      ...keyColumns(created.map(({ record }) => record)),
      changes.length,
      ...replyColumns(replies),
      replies.length,
      organizationsOf(writes),
    ),
  ] as const);
}

function replyColumns(replies: readonly StoredReply[]): [string[], Uint8Array[], Uint8Array[]] {
  return [
    replies.map(({ organizationId }) => organizationId),
    replies.map(({ keyHash }) => keyHash),
    replies.map(({ fingerprint }) => fingerprint),
  ];
}
