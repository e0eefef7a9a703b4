// The stored outcomes of writes with an Idempotency-Key. They contain hashes of the key and the request, and no
// content. The code has no generators, because every such write runs it.

import type { Replies, ReplyName, StoredReply } from "../../group/group-replies.ts";
import type { Connection } from "../connection.ts";

const findReply = `
  SELECT fingerprint, outcome, created_at AS createdAt FROM idempotent_reply
  WHERE organization_id = ? AND key_hash = ?`;

const storeReply = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at`;

export function repliesIn(connection: Connection): Replies {
  return {
    find: ({ organizationId, keyHash }) =>
      connection.get<Omit<StoredReply, keyof ReplyName>>(findReply, organizationId, keyHash),
    add: ({ organizationId, keyHash, fingerprint, outcome, createdAt }) =>
      void connection.run(storeReply, organizationId, keyHash, fingerprint, outcome, createdAt),
  };
}
