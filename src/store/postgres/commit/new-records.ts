// Stores a group in one round trip on the assumption that every draft is a new record that no deletion closes. If this
// is wrong, a statement fails, and with it the transaction: either the insert of the records or the last statement.

import { byDueTime, byRecord } from "../../sql/statement/index-conditions.ts";
import { type StoredReply } from "../../group/group-replies.ts";
import type { GroupEvaluation } from "../../group/evaluate-group.ts";
import type { RecordWrite } from "../../../domain/record/record-write.ts";
import type { Database } from "../database.ts";
import { hasState } from "../failure.ts";
import { addReplies } from "../../sql/access/idempotency.ts";
import {
  appendChanges,
  earliestOf,
  organizationsOf,
  recordColumns,
  addRelations,
} from "./record.ts";
import { relationsOf } from "../../group/group-records.ts";
import type { Visibility } from "../../sql/statement/visibility.ts";
import { findOpen } from "../../sql/deletion/closed-records.ts";
import { joinErasing, namedRecords, sameOnServer } from "../../sql/statement/named.ts";
import { textFor } from "../../sql/statement/statements.ts";
import { inTransaction, type Transaction } from "../transaction.ts";
import { inSequence } from "./settle-all.ts";

/** A record that exists fails the statement; ON CONFLICT would make each row a third more expensive. */
const insertRecords = `
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
  SELECT unnest($1::text[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[])
  WHERE ${inTransaction}`;

/**
 * A record is closed if a deletion or its plan names it; a reply stored by another process has another fingerprint.
 * Fails with a division by zero, because this error reveals nothing about stored data in the server's log. First checks
 * whether there are open deletions at all: usually there are none, and no record is searched.
 */
const replyKey = ["organization_id", "key_hash", "fingerprint"];

const requireOpen = `
  SELECT 1 / CASE WHEN
    (SELECT count(*)
     FROM unnest($4::text[], $5::bytea[], $6::bytea[]) AS named (organization_id, key_hash, fingerprint)
       JOIN idempotent_reply ON ${sameOnServer("idempotent_reply", replyKey)}) = $7
    AND (NOT EXISTS (
      SELECT 1 FROM deletion
      WHERE organization_id = ANY ($8::text[]) AND status IN ('pending', 'processing')
      ${textFor("postgres", byRecord)}
    ) OR NOT EXISTS (${textFor("postgres", findOpen)}))
    AND (NOT EXISTS (
      SELECT 1 FROM deletion WHERE status = 'processing' ${textFor("postgres", byDueTime)}
    ) OR NOT EXISTS (
      SELECT 1 FROM ${textFor("postgres", namedRecords + joinErasing)} WHERE action = 'erase'))
    AND NOT EXISTS (
      SELECT 1 FROM organization
      WHERE organization_id = ANY ($8::text[])
        AND (closed_at IS NOT NULL OR writes_paused_until > $9))
  THEN 1 ELSE 0 END AS sound`;

const uniqueViolation = "23505";
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
    if (hasState(error, divisionByZero) || hasState(error, uniqueViolation)) return false;
    throw error;
  }
}

async function sendAll(
  transaction: Transaction,
  { writes, evaluated }: GuessedGroup,
): Promise<void> {
  const { changes, replies } = evaluated;
  const columns = recordColumns(evaluated.records.created);
  await inSequence([
    transaction.run(insertRecords, ...columns),
    appendChanges(transaction, changes),
    addRelations(transaction, relationsOf(changes)),
    transaction.perform(addReplies, replies),
    transaction.run(
      requireOpen,
      ...columns.slice(0, 3),
      ...replyColumns(replies),
      replies.length,
      organizationsOf(writes),
      earliestOf(writes),
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
