// The stored outcomes of requests with an Idempotency-Key, for whole groups. They contain hashes of the key and the
// request, and no content.

import { AppError } from "../../../domain/error.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import type { ReplyName, StoredReply } from "../../group/group-replies.ts";
import { reader } from "../../row/reader.ts";
import { hashIn, hashText, named, sameOnServer } from "../statement/named.ts";
import { Collision, list, Rows, run, type Statements } from "../statement/statements.ts";

/** Columns with hashes are read by `hashIn`. */
const find = `
  SELECT reply.organization_id, reply.key_hash, fingerprint, outcome, created_at
  FROM ${named("organization_id", "key_hash bytea")}
    --sqlite CROSS JOIN idempotent_reply AS reply ON reply.organization_id = named.organization_id
    --sqlite   AND reply.key_hash = unhex(substr(named.key_hash, 3))
    --postgres JOIN idempotent_reply AS reply ON ${sameOnServer("reply", ["organization_id", "key_hash"])}
  `;

/** On PostgreSQL it may be sent before BEGIN: outside a transaction it does nothing. */
const store = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  SELECT organization_id, ${hashIn("key_hash")}, ${hashIn("fingerprint")}, outcome, created_at
  FROM ${named("organization_id", "key_hash bytea", "fingerprint bytea", "outcome", "created_at bigint")}
  WHERE
    --sqlite true
    --postgres current_setting('sluice.organizations', true) <> ''
  ON CONFLICT (organization_id, key_hash) DO NOTHING`;

const toReply = reader<StoredReply>({});

export function* findReplies(names: readonly ReplyName[]): Statements<readonly StoredReply[]> {
  if (names.length === 0) return [];
  const rows = names.map(({ organizationId, keyHash }) => [organizationId, hashText(keyHash)]);
  return yield* list(toReply, find, new Rows(rows, 2));
}

/** Returns how many replies were stored: fewer than given if another process has stored one of them meanwhile. */
export function* addReplies(replies: readonly StoredReply[]): Statements<number> {
  if (replies.length === 0) return 0;
  const rows = replies.map(({ organizationId, keyHash, fingerprint, outcome, createdAt }) => [
    organizationId,
    hashText(keyHash),
    hashText(fingerprint),
    outcome,
    createdAt,
  ]);
  return yield* run(store, new Rows(rows, 5));
}

interface ChangeOnce<Outcome> {
  readonly organizationId: string;
  readonly idempotency?: IdempotencyMark | undefined;
  readonly now: number;
  readonly change: () => Statements<Outcome>;
  readonly isKept?: (outcome: NonNullable<Outcome>) => boolean;
}

/**
 * Makes a change outside the groups, or returns the outcome of the first request with this Idempotency-Key. Throws
 * AppError idempotency_reused. If another process stores a reply meanwhile, the change is tried again and finds it.
 */
export function* changeOnce<Outcome extends object | undefined>({
  organizationId,
  idempotency,
  now,
  change,
  isKept = () => true,
}: ChangeOnce<Outcome>): Statements<Outcome> {
  if (idempotency === undefined) return yield* change();
  const { keyHash, fingerprint } = idempotency;
  const [stored] = yield* findReplies([{ organizationId, keyHash }]);
  if (stored !== undefined) {
    if (Buffer.compare(stored.fingerprint, fingerprint) !== 0)
      throw new AppError("idempotency_reused");
    return JSON.parse(stored.outcome) as Outcome;
  }
  const outcome = yield* change();
  if (outcome === undefined || !isKept(outcome)) return outcome;
  const text = JSON.stringify(outcome);
  const reply = { organizationId, keyHash, fingerprint, outcome: text, createdAt: now };
  if ((yield* addReplies([reply])) === 0) throw new Collision("another process has stored it");
  return outcome;
}
