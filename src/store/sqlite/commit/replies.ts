// The stored replies of requests with an Idempotency-Key.

import type { ReplyName, StoredReply } from "../../group/group-replies.ts";
import type { Connection } from "../connection.ts";
import { readForAll, runForAll, textsBySize } from "./row-parts.ts";

/** Three values for each reply: organization, key, and the index of the name. */
const findStored = textsBySize(
  (rows) => `
    SELECT column3, fingerprint, outcome, created_at FROM (VALUES ${rows("(?, ?, ?)")})
    CROSS JOIN idempotent_reply ON organization_id = column1 AND key_hash = column2`,
);

const insertReplies = textsBySize(
  (rows) => `
    INSERT OR FAIL INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
    VALUES ${rows("(?, ?, ?, ?, ?)")}`,
);

export function findReplies(
  connection: Connection,
  names: readonly ReplyName[],
): readonly StoredReply[] {
  if (names.length === 0) return [];
  type Row = readonly [index: number, fingerprint: Uint8Array, outcome: string, createdAt: number];
  const rows = names.map(({ organizationId, keyHash }, index) => [organizationId, keyHash, index]);
  return readForAll<Row>(connection, findStored, rows).flatMap(
    ([index, fingerprint, outcome, createdAt]) =>
      names.slice(index, index + 1).map((name) => ({ ...name, fingerprint, outcome, createdAt })),
  );
}

export function addReplies(connection: Connection, replies: readonly StoredReply[]): void {
  if (replies.length === 0) return;
  const rows = replies.map(({ organizationId, keyHash, fingerprint, outcome, createdAt }) => [
    organizationId,
    keyHash,
    fingerprint,
    outcome,
    createdAt,
  ]);
  runForAll(connection, insertReplies, rows);
}
