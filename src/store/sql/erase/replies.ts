// Removes the stored replies of changes that are erased or rewritten: each has a hash of the request, which would allow
// guessing what was removed.

import { hashText } from "../statement/named.ts";
import { Rows, run, type Statements } from "../statement/statements.ts";

const removeReplies = `
  DELETE FROM idempotent_reply
  --postgres USING unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
  WHERE
    --sqlite (organization_id, key_hash) IN (SELECT value ->> 0, unhex(substr(value ->> 1, 3)) FROM json_each($1))
    --postgres idempotent_reply.organization_id = named.organization_id
    --postgres AND idempotent_reply.key_hash = named.key_hash
  `;

export interface RepliedRow {
  readonly organization_id: string;
  /** Null for a change without an idempotency key. */
  readonly reply_key: Uint8Array | null;
}

export function* removeRepliesOf(changes: readonly RepliedRow[]): Statements<void> {
  const keys = new Map<string, readonly [string, string]>();
  for (const { organization_id: organizationId, reply_key: key } of changes) {
    if (key === null) continue;
    const hash = hashText(key);
    keys.set(`${organizationId} ${hash}`, [organizationId, hash]);
  }
  if (keys.size > 0) yield* run(removeReplies, new Rows([...keys.values()], 2));
}
