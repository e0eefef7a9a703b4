// The stored replies of requests with an Idempotency-Key.

import type { Replies, StoredReply } from "../../group/group-replies.ts";
import type { Connection } from "../connection.ts";

const findReply = `
  SELECT fingerprint, outcome FROM idempotent_reply
  WHERE organization_id = ? AND key_hash = ?`;

const storeReply = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  VALUES (?, ?, ?, ?, ?)`;

export function repliesIn(connection: Connection): Replies {
  return {
    find: ({ organizationId, keyHash }) =>
      connection.get<Pick<StoredReply, "fingerprint" | "outcome">>(
        findReply,
        organizationId,
        keyHash,
      ),
    add: ({ organizationId, keyHash, fingerprint, outcome, createdAt }) =>
      void connection.run(storeReply, organizationId, keyHash, fingerprint, outcome, createdAt),
  };
}
