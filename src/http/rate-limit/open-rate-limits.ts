// Chooses where requests are counted: in this process, or in a Redis that processes share, whose client is loaded
// only if it is configured. No request waits for a Redis that is unavailable: then each process counts by itself.

import type { Logger } from "../../log.ts";
import {
  type Count,
  countInProcess,
  type Limited,
  limited,
  makeRateGate,
  type RateGate,
} from "./rate-limit.ts";

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
  /** Called for each request that should have been counted with other processes, and was not. */
  readonly onCountedAlone: () => void;
}

export interface OpenRateLimits {
  readonly gate: RateGate;
  close(): Promise<void>;
}

export async function openRateLimits(
  settings: RateLimitSettings,
  { now, onCountedAlone, ...options }: RateLimitOptions,
): Promise<OpenRateLimits> {
  const { rateLimitPerSecond: perSecond, rateLimitRedisUrl: url } = settings;
  const countHere = countInProcess(now);
  if (url === undefined || perSecond === 0) {
    return {
      gate: makeRateGate({ perSecond, count: countHere, countHere }),
      close: async () => {},
    };
  }
  const { SharedBuckets } = await import("./shared-buckets.ts");
  const answerMsMax = settings.rateLimitRedisTimeoutMs;
  const buckets = new SharedBuckets({ url, answerMsMax, ...options });
  await buckets.start();
  const count: Count<Limited | Promise<Limited>> = (policy, owner, cost) => {
    const countAlone = (): Limited => {
      onCountedAlone();
      return countHere(policy, owner, cost);
    };
    const taken = buckets.take(owner, policy, cost);
    if (taken === undefined) return countAlone();
    return taken.then((found) => (found === undefined ? countAlone() : limited(policy, found)));
  };
  return {
    gate: makeRateGate({ perSecond, count, countHere }),
    close: () => buckets.stop(),
  };
}
