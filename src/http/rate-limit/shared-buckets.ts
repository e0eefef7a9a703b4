// Token buckets that processes share in Redis or Valkey. Two states: shared, where each request asks the server; and
// alone, after the first answer that was refused, lost or late, where nobody waits and a fresh connection is tried every
// now and then. One line of the log for each change. Never fails a request, nor a start.

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../log.ts";
import { type BucketCost, bucketKey } from "./bucket-script.ts";
import { withTimeout } from "../with-timeout.ts";
import { openRedisLink, redisErrorCode, type RedisLink } from "./redis-link.ts";
import type { BucketPolicy, Taken } from "./token-bucket.ts";

/** The first delay before Redis is asked again. */
const redisRetryMsMin = 500;
/** The longest delay, to which each failure doubles it. */
const redisRetryMsMax = 30_000;

export interface SharedBucketsOptions {
  /** May hold a password. */
  readonly url: string;
  /** How long an answer is waited for. */
  readonly answerMsMax: number;
  /** The name of the store: only processes of one store share buckets. */
  readonly scope: string;
  readonly log: Logger;
  readonly onShared: (isShared: boolean) => void;
}

/** What a bucket of its own is kept for: to see that the server runs the script, writes, and is fast enough. */
const trial: BucketPolicy = { name: "trial", perSecond: 1_000_000, burst: 1_000_000 };
const trials = 3;

export class SharedBuckets {
  readonly #options: SharedBucketsOptions;
  readonly #stopping = new AbortController();
  #link: RedisLink | undefined;
  #changedAt = performance.now();
  #retryMs: number = redisRetryMsMin;
  #comingBack: Promise<void> | undefined;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
  }

  /** Tries once; resolves in any case, and soon. */
  async start(): Promise<void> {
    try {
      this.#share(await this.#tryLink());
      this.#options.log.info("rate limits are shared with other processes");
    } catch (error) {
      this.#standAlone(error);
    }
  }

  /** Undefined, at once or later, when the server did not say: then the process has to count for itself. */
  take(
    owner: string,
    policy: BucketPolicy,
    cost: BucketCost,
  ): Promise<Taken | undefined> | undefined {
    const link = this.#link;
    if (link === undefined) return undefined;
    const key = bucketKey(this.#options.scope, policy, owner);
    const answer = withTimeout(link.ask(key, policy, cost), this.#options.answerMsMax);
    return answer.catch((error: unknown) => {
      this.#lose(link, error);
      return undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const link = this.#link;
    this.#link = undefined;
    link?.close();
    await this.#comingBack;
  }

  #share(link: RedisLink): void {
    this.#link = link;
    this.#changedAt = performance.now();
    this.#options.onShared(true);
  }

  /** Others that wait on the same link find it gone, and say nothing. */
  #lose(link: RedisLink, error: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.close();
    // A server that is fast enough only now and then would fill the log.
    const wasShort = performance.now() - this.#changedAt < redisRetryMsMax;
    this.#retryMs = wasShort ? Math.min(this.#retryMs * 2, redisRetryMsMax) : redisRetryMsMin;
    this.#standAlone(error);
  }

  #standAlone(error: unknown): void {
    this.#changedAt = performance.now();
    this.#options.onShared(false);
    this.#options.log.warn(
      { cause: redisErrorCode(error) },
      "rate limits are counted by this process alone until Redis answers in time",
    );
    this.#comingBack = this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(this.#retryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const link = await this.#tryLink().catch(() => undefined);
      if (link === undefined) continue;
      if (signal.aborted) return link.close();
      const aloneMs = Math.round(performance.now() - this.#changedAt);
      this.#share(link);
      this.#options.log.info({ aloneMs }, "rate limits are shared with other processes again");
      return;
    }
  }

  async #tryLink(): Promise<RedisLink> {
    const lost = (error: unknown): void => {
      if (link !== undefined) this.#lose(link, error);
    };
    let link: RedisLink | undefined;
    link = await openRedisLink({ url: this.#options.url, onLost: lost });
    try {
      const key = bucketKey(this.#options.scope, trial, "");
      for (let done = 0; done < trials; done += 1) {
        await withTimeout(link.ask(key, trial, 1), this.#options.answerMsMax);
      }
    } catch (error) {
      link.close();
      throw error;
    }
    return link;
  }
}
