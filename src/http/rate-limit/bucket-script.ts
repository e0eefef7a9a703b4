// The token bucket as a script for Redis or Valkey: one key, one round trip, and the clock of the server, so that
// processes with different clocks agree. Written in Lua 5.1; never reads a key that is not in KEYS.

import { createHash, hash } from "node:crypto";
import { type BucketCost, type BucketPolicy, describeBucket, type Taken } from "./token-bucket.ts";

/**
 * KEYS: the bucket. ARGV: tokens gained a second, tokens of a full bucket, tokens to take, and 1 for a charge, which
 * is taken even if fewer tokens are left. Returns whether there was a token, and the tokens that are left, as text,
 * because Redis truncates numbers in a script's reply. A missing bucket is full, so each expires when it would be
 * full again. A clock that was set back neither gains nor loses tokens.
 */
export const bucketScript = `
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local rate, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tokens = burst
local held, at = string.match(redis.call("GET", KEYS[1]) or "", "^(%S+) (%d+)$")
if held then
  local gained = math.max(0, now - tonumber(at)) / 1000000 * rate
  tokens = math.min(burst, tonumber(held) + gained)
end
local allowed = 0
if ARGV[4] == "1" then
  tokens = math.max(-burst, tokens - cost)
  if tokens >= 1 then allowed = 1 end
elseif tokens >= 1 then
  allowed = 1
  tokens = tokens - cost
end
if cost > 0 then
  local fillMs = math.ceil((burst - tokens) / rate * 1000) + 1
  local bucket = string.format("%.17g %.0f", tokens, now)
  redis.call("SET", KEYS[1], bucket, "PX", string.format("%.0f", fillMs))
end
return { allowed, string.format("%.17g", tokens) }
`;

/** Identifies the script to the server (EVALSHA). */
export const bucketScriptSha1 = createHash("sha1").update(bucketScript).digest("hex");

/** The prefix of every key, for the access rules of an operator. */
const keyPrefix = "sluice:rate:";

/**
 * The key of an owner's bucket. Hashed, so that it reveals no address; with `scope`, the name of the store, so that
 * services with different stores can share one Redis.
 */
export function bucketKey(scope: string, policy: BucketPolicy, owner: string): string {
  const digest = hash("sha256", `${scope}\n${owner}`, "base64url");
  return `${keyPrefix}${policy.name}:${digest}`;
}

/** The arguments after the number of keys in EVAL and EVALSHA. */
export function bucketArguments(key: string, policy: BucketPolicy, cost: BucketCost): string[] {
  const isCharge = typeof cost === "object";
  const tokens = isCharge ? cost.charge : cost;
  const numbers = [policy.perSecond, policy.burst, tokens, isCharge ? 1 : 0];
  return [key, ...numbers.map(String)];
}

/** Throws if the reply does not have the form of the script's replies. */
export function readBucketReply(reply: unknown, policy: BucketPolicy): Taken {
  const [allowed, text]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const tokens = typeof text === "string" ? Number(text) : Number.NaN;
  if (Number.isNaN(tokens)) throw new Error("not a reply of the script");
  return describeBucket({ tokens }, policy, allowed === 1);
}
