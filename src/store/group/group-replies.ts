// The outcomes stored for the Idempotency-Keys of a group: outcomes that were known before, and new ones of the group.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

export interface StoredReply {
  readonly organizationId: string;
  readonly keyHash: Uint8Array;
  readonly fingerprint: Uint8Array;
  /** JSON without content of records. */
  readonly outcome: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * The stored outcome of a request that is repeated; undefined if the key is new or its reply has expired. Throws
 * AppError idempotency_reused if the key was used for a different request.
 */
export function repeatedOutcome(
  reply: Pick<StoredReply, "fingerprint" | "outcome" | "createdAt"> | undefined,
  { fingerprint, now }: { readonly fingerprint: Uint8Array; readonly now: number },
): string | undefined {
  if (reply === undefined || now - reply.createdAt >= limits.idempotencyKeptMs) return undefined;
  if (Buffer.compare(reply.fingerprint, fingerprint) === 0) return reply.outcome;
  throw new AppError("idempotency_reused");
}

export function replyText(organizationId: string, keyHash: Uint8Array): string {
  return `${organizationId}\n${Buffer.from(keyHash).toString("base64")}`;
}

export class RepliesOfGroup {
  readonly #known: ReadonlyMap<string, StoredReply>;
  readonly #added = new Map<string, StoredReply>();

  constructor(known: ReadonlyMap<string, StoredReply>) {
    this.#known = known;
  }

  /** The replies to store, sorted by their texts, so that two processes can't deadlock. */
  get added(): readonly StoredReply[] {
    return [...this.#added]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, reply]) => reply);
  }

  find(text: string): StoredReply | undefined {
    return this.#added.get(text) ?? this.#known.get(text);
  }

  add(text: string, reply: StoredReply): void {
    this.#added.set(text, reply);
  }
}
