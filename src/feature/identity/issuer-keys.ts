// The public keys of issuers, for verifying tokens of platforms: read from the place that a rule names, and cached,
// bounded in number, bytes and time. Connects only to hosts that an operator has named in a rule; never to a host that
// a token names.

import type { JWTVerifyGetKey } from "jose";
import type { App } from "../../actions/app.ts";
import { boundedFetch } from "../../basics/bounded-fetch.ts";
import { identityLimits, type IdentityRule, type KeySet } from "./identity-rule.ts";

/** No algorithm with a shared secret: a public key would be the secret. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

const replyBytesMax = 256 * 1_024;
const keysMax = 100;
/** When more are needed, the one that was added first is dropped. */
const issuersMax = 64;
const readingMs = 3_000;
const freshMs = 10 * 60_000;
/** The time between two requests to an issuer, after a failure or for an unknown key. */
const pauseMs = 30_000;

interface Known {
  /** When it was last used: a clock that is set back would keep what is cached until then. */
  usedAt: number;
  /** Reads the keys of the issuer; undefined until their address is known. */
  keys: Promise<JWTVerifyGetKey> | undefined;
  /** When a request failed last, and why; no failure after a request that did not. */
  failedAt: number;
  failure: string | undefined;
}

/** Found by an object that all copies of an application share, such as the copy for a request. */
const opened = new WeakMap<App["callers"], IssuerKeys>();

export function issuerKeysOf({ callers, now }: App): IssuerKeys {
  const keys = opened.get(callers) ?? new IssuerKeys(now);
  opened.set(callers, keys);
  return keys;
}

class IssuerKeys {
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async findFault(token: string, rule: IdentityRule): Promise<string | undefined> {
    const { createLocalJWKSet, jwtVerify } = await import("jose");
    const known = this.#knownOf(rule);
    try {
      const keys =
        rule.jwks === undefined
          ? this.#remote(rule, known)
          : createLocalJWKSet({ keys: [...rule.jwks.keys] });
      const currentDate = new Date(this.#now());
      const clockTolerance = identityLimits.leewaySeconds;
      await jwtVerify(token, await keys, { algorithms, currentDate, clockTolerance });
      return undefined;
    } catch (error) {
      if (known.failure !== undefined) {
        return `the keys of the issuer can't be read: ${known.failure}`;
      }
      return `the signature is not valid (${codeOf(error)})`;
    }
  }

  #knownOf({ issuer, jwks, jwksUrl }: IdentityRule): Known {
    const usedAt = this.#now();
    const failedAt = Number.NEGATIVE_INFINITY;
    const fresh = { usedAt, keys: undefined, failedAt, failure: undefined };
    if (jwks !== undefined) return fresh;
    const place = jwksUrl === undefined ? `issuer ${issuer}` : `keys ${jwksUrl}`;
    const known = this.#known.get(place);
    if (known !== undefined && known.usedAt <= usedAt) return Object.assign(known, { usedAt });
    const [first] = this.#known.keys();
    if (this.#known.size >= issuersMax && first !== undefined) this.#known.delete(first);
    this.#known.set(place, fresh);
    return fresh;
  }

  /** The place of the keys is found once, and again after it could not be found. */
  #remote(rule: IdentityRule, known: Known): Promise<JWTVerifyGetKey> {
    const find = async (): Promise<JWTVerifyGetKey> => {
      const { createRemoteJWKSet, customFetch } = await import("jose");
      const signal = AbortSignal.timeout(readingMs);
      const url = rule.jwksUrl ?? (await this.#read(known, () => findKeysUrl(rule.issuer, signal)));
      return createRemoteJWKSet(new URL(url), {
        timeoutDuration: readingMs,
        cooldownDuration: pauseMs,
        cacheMaxAge: freshMs,
        [customFetch]: (href: string, { signal: late }: { readonly signal: AbortSignal }) =>
          this.#read(known, async () => Response.json(readKeySet(await readJson(href, late)))),
      });
    };
    const keys = (known.keys ??= find());
    keys.catch(() => known.keys === keys && (known.keys = undefined));
    return keys;
  }

  /** Makes no request soon after one that failed. */
  async #read<Value>(known: Known, read: () => Promise<Value>): Promise<Value> {
    if (this.#now() - known.failedAt < pauseMs) throw new Error("the last request failed");
    try {
      const value = await read();
      known.failure = undefined;
      return value;
    } catch (error) {
      known.failedAt = this.#now();
      known.failure = error instanceof Error ? error.message : "it failed";
      throw error;
    }
  }
}

/** OpenID Connect Discovery 1.0. The keys must be at the origin of the issuer: an operator has named no other. */
async function findKeysUrl(issuer: string, signal: AbortSignal): Promise<string> {
  const metadata = await readJson(
    `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    signal,
  );
  const { issuer: named, jwks_uri: url } = Object(metadata) as Record<string, unknown>;
  if (named !== issuer) throw new TypeError("its metadata belong to another issuer");
  if (typeof url !== "string" || !URL.canParse(url))
    throw new TypeError("its metadata name no keys");
  if (new URL(url).origin !== new URL(issuer).origin) {
    throw new TypeError("its keys are at another host, so the rule has to name their address");
  }
  return url;
}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const options = { headers: { accept: "application/json" }, redirect: "manual", signal } as const;
  const reply = await boundedFetch(url, options, replyBytesMax);
  if (reply.status !== 200) throw new TypeError(`it answered with status ${reply.status}`);
  return reply.json();
}

/** Throws TypeError if the value is not a JWK Set or has too many keys. */
export function readKeySet(value: unknown): KeySet {
  const { keys } = Object(value) as { keys?: unknown };
  const isSet = Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null);
  if (!isSet) throw new TypeError("it is not a JWK Set (RFC 7517)");
  if (keys.length > keysMax) throw new TypeError(`it has more than ${keysMax} keys`);
  return { keys: keys as KeySet["keys"] };
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === "string" ? code : "no key";
}
