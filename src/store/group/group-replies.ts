// The outcomes stored for Idempotency-Keys: the rule for a request that is repeated, and the replies of a group.

import { AppError } from "../../domain/error.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";

export interface ReplyName {
  readonly organizationId: string;
  readonly keyHash: Uint8Array;
}

export interface StoredReply extends ReplyName {
  readonly fingerprint: Uint8Array;
  /** JSON without content of records. */
  readonly outcome: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface Marked {
  readonly organizationId: string;
  readonly mark: IdempotencyMark | undefined;
  readonly now: number;
}

/**
 * Calls `perform` unless the mark is known. Otherwise returns what `repeat` makes of the stored outcome, which has to
 * survive JSON. A reply counts until it is removed, whatever the time: the clock may be ahead, and only the removal
 * (sql/access/purge.ts) waits until it is trusted. Throws AppError idempotency_reused if the key was used for a
 * different request.
 */
export function performOnce<Outcome>(
  replies: RepliesOfGroup,
  { organizationId, mark, now }: Marked,
  { perform, repeat }: { perform: () => Outcome; repeat: (stored: Outcome) => Outcome },
): Outcome {
  if (mark === undefined) return perform();
  const { keyHash, fingerprint } = mark;
  const reply = replies.find({ organizationId, keyHash });
  if (reply !== undefined) {
    if (Buffer.compare(reply.fingerprint, fingerprint) !== 0) {
      throw new AppError("idempotency_reused");
    }
    return repeat(JSON.parse(reply.outcome) as Outcome);
  }
  const outcome = perform();
  const text = JSON.stringify(outcome);
  replies.add({ organizationId, keyHash, fingerprint, outcome: text, createdAt: now });
  return outcome;
}

export class RepliesOfGroup {
  readonly #known: ReadonlyMap<string, StoredReply>;
  readonly #added = new Map<string, StoredReply>();

  constructor(known: readonly StoredReply[]) {
    this.#known = new Map(known.map((reply) => [textOf(reply), reply]));
  }

  /** The replies to store, sorted by their keys, so that two processes can't deadlock. */
  get added(): readonly StoredReply[] {
    return [...this.#added]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, reply]) => reply);
  }

  find(name: ReplyName): StoredReply | undefined {
    const text = textOf(name);
    return this.#added.get(text) ?? this.#known.get(text);
  }

  add(reply: StoredReply): void {
    this.#added.set(textOf(reply), reply);
  }
}

interface MarkedWrite {
  readonly organizationId: string;
  readonly idempotency?: IdempotencyMark | undefined;
  readonly marks?: readonly IdempotencyMark[] | undefined;
}

export function marksOf({
  idempotency,
  marks,
}: Omit<MarkedWrite, "organizationId">): readonly IdempotencyMark[] {
  return marks ?? (idempotency === undefined ? [] : [idempotency]);
}

/** The distinct names. */
export function namesOf(writes: readonly MarkedWrite[]): readonly ReplyName[] {
  const names = new Map<string, ReplyName>();
  for (const write of writes) {
    for (const { keyHash } of marksOf(write)) {
      const name = { organizationId: write.organizationId, keyHash };
      names.set(textOf(name), name);
    }
  }
  return [...names.values()];
}

function textOf({ organizationId, keyHash }: ReplyName): string {
  return `${organizationId}\n${Buffer.from(keyHash).toString("latin1")}`;
}
