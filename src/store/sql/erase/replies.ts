// Removes the stored replies to requests that wrote what is erased, moved or rewritten: each has a hash of the request,
// from which the content could be guessed.

import type { NumberedKey } from "../../shared/record-key.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";
import { hashText, named, numberedRows, sameOnServer } from "../statement/named.ts";

const findReplies = `
  SELECT DISTINCT named.organization_id, reply_key
  FROM ${named("organization_id", "resource_type", "resource_id", "record_no bigint")}
    --sqlite CROSS JOIN change ON change.record_no IN (named.record_no, (
    --sqlite   SELECT record_no FROM record
    --sqlite   WHERE organization_id = named.organization_id
    --sqlite     AND resource_type = named.resource_type AND resource_id = named.resource_id))
    --postgres JOIN change ON ${sameOnServer("change")}
  WHERE reply_key IS NOT NULL
    --citus AND change.resource_id = ANY ($3::text[])
  `;

const removeReplies = `
  DELETE FROM idempotent_reply
  --postgres USING unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
  WHERE
    --sqlite (organization_id, key_hash) IN (SELECT value ->> 0, unhex(substr(value ->> 1, 3)) FROM json_each($1))
    --postgres ${sameOnServer("idempotent_reply", ["organization_id", "key_hash"])}
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

/** On SQLite a key has the number of its record, which finds changes that outlived it. */
export function* removeRepliesTo(keys: readonly NumberedKey[]): Statements<void> {
  yield* removeRepliesOf(yield* all<RepliedRow>(findReplies, numberedRows(keys)));
}
