// Token buckets that processes share in Redis or Valkey. There are two states. While shared, each request asks the
// server. The first answer that is an error, lost or late makes the process count alone: no request waits, and it tries
// a new connection at intervals. Each change is logged in one line. Never fails a request or a start.

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../log.ts";
import { bucketKey } from "./bucket-script.ts";
import { withTimeout } from "../../basics/with-timeout.ts";
import { openRedisLink, redisErrorCode, type RedisLink } from "./redis-link.ts";
import type { BucketCost, BucketPolicy, Taken } from "./token-bucket.ts";

/** The first delay before Redis is asked again. */
const redisRetryMsMin = 500;
/** The longest delay, to which each failure doubles it. */
const redisRetryMsMax = 30_000;

export interface SharedBucketsOptions {
  /** It may contain a password. */
  readonly url: string;
  /** The longest wait for an answer. */
  readonly answerMsMax: number;
  /** The name of the store; only processes of one store share buckets. */
  readonly scope: string;
  readonly log: Logger;
  readonly onShared: (isShared: boolean) => void;
}

/** A bucket for checking that the server runs the script, accepts writes, and is fast enough. */
const trial: BucketPolicy = { name: "trial", perSecond: 1_000_000, burst: 1_000_000 };
const trials = 3;

export class SharedBuckets {
  readonly #options: SharedBucketsOptions;
  readonly #stopping = new AbortController();
  #link: RedisLink | undefined;
  #changedAt = performance.now();
  #retryMs: number = redisRetryMsMin;
  #reconnecting: Promise<void> | undefined;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
  }

  /** Tries to connect once; never rejects. */
  async start(): Promise<void> {
    try {
      this.#share(await this.#tryLink());
      this.#options.log.info("rate limits are shared with other processes");
    } catch (error) {
      this.#standAlone(error);
    }
  }

  /** Resolves to undefined, or returns it, if the server does not answer; then the process must count by itself. */
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
    await this.#reconnecting;
  }

  #share(link: RedisLink): void {
    this.#link = link;
    this.#changedAt = performance.now();
    this.#options.onShared(true);
  }

  /** Reports only the first request that fails on a link. */
  #lose(link: RedisLink, error: unknown): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.close();
    // Otherwise a server that is only sometimes fast enough would flood the log.
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
    this.#reconnecting = this.#reconnect();
  }

  async #reconnect(): Promise<void> {
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
