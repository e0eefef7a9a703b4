// Chooses where requests are counted: in this process, or in a Redis that processes share. Loads nothing of the second
// unless it is set.

import type { Logger } from "../../log.ts";
import { type RateGate, RateLimits } from "./rate-limit.ts";

export interface RateLimitSettings {
  readonly rateLimitPerSecond: number;
  readonly rateLimitRedisUrl: string | undefined;
  readonly rateLimitRedisTimeoutMs: number;
}

export interface RateLimitOptions {
  readonly now: () => number;
  /** The name of the store, whose processes share their limits. */
  readonly scope: string;
  readonly log: Logger;
  readonly onShared: (isShared: boolean) => void;
  /** Told of each request that should have been counted with others, and was not. */
  readonly onCountedAlone: () => void;
}

export interface OpenRateLimits {
  readonly gate: RateGate;
  close(): Promise<void>;
}

/** Never rejects for a Redis that is away: then each process counts for itself until it is back. */
export async function openRateLimits(
  settings: RateLimitSettings,
  { now, onCountedAlone, ...options }: RateLimitOptions,
): Promise<OpenRateLimits> {
  const { rateLimitPerSecond, rateLimitRedisUrl: url, rateLimitRedisTimeoutMs } = settings;
  const own = new RateLimits(rateLimitPerSecond, now);
  if (url === undefined || rateLimitPerSecond === 0) return { gate: own, close: async () => {} };
  const [{ SharedBuckets }, { shareRateLimits }] = await Promise.all([
    import("./shared-buckets.ts"),
    import("./shared-rate-limits.ts"),
  ]);
  const buckets = new SharedBuckets({ url, answerMsMax: rateLimitRedisTimeoutMs, ...options });
  await buckets.start();
  return {
    gate: shareRateLimits(own, { buckets, onCountedAlone }),
    close: () => buckets.stop(),
  };
}
