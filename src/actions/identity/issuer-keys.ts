// The public keys of issuers, for verifying tokens of platforms: read from the place that a rule names, and cached,
// bounded in number, bytes and time. Connects only to hosts that an operator has named in a rule; never to a host that
// a token names.

import type { CompactVerifyGetKey, LocalJWKSet } from "jose";
import { boundedFetch } from "../../basics/bounded-fetch.ts";
import { identityLimits, type IdentityRule, type KeySet } from "../../domain/identity-rule.ts";

/** No algorithm with a shared secret: a public key would be the secret. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

const replyBytesMax = 256 * 1_024;
const keysMax = 100;
/** When more are needed, the one that was added first is dropped. */
const issuersMax = 64;
const readingMs = 3_000;
/** How long keys are used without asking the issuer, and how long if the issuer does not answer. */
const freshMs = 10 * 60_000;
const staleMs = 24 * 60 * 60_000;
/** The time between two requests to an issuer, after a failure or for an unknown key. */
const pauseMs = 30_000;

interface Known {
  /** The last keys that could be read. */
  keys: LocalJWKSet | undefined;
  readAt: number;
  triedAt: number;
  reading: Promise<void> | undefined;
  /** Why the last attempt failed. */
  failure: string | undefined;
}

export class IssuerKeys {
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Why the signature can't be relied on; undefined if it is valid. */
  async findFault(token: string, rule: IdentityRule): Promise<string | undefined> {
    const { jwtVerify } = await import("jose");
    let failure: string | undefined;
    const find: CompactVerifyGetKey = async (header, signed) => {
      const known = await this.#keysOf(rule);
      failure = known.failure;
      const isOld = this.#now() - known.readAt >= staleMs;
      if (known.keys === undefined || isOld) throw new Error("there are no keys");
      try {
        return await known.keys(header, signed);
      } catch (error) {
        // The key may be new, for example.
        if (!(await this.#readAgain(rule, known))) throw error;
        failure = known.failure;
        return known.keys(header, signed);
      }
    };
    try {
      const currentDate = new Date(this.#now());
      const clockTolerance = identityLimits.leewaySeconds;
      await jwtVerify(token, find, { algorithms, currentDate, clockTolerance });
      return undefined;
    } catch (error) {
      if (failure !== undefined) return `the keys of the issuer can't be read: ${failure}`;
      return `the signature is not valid (${codeOf(error)})`;
    }
  }

  async #keysOf(rule: IdentityRule): Promise<Known> {
    if (rule.jwks !== undefined)
      return { ...unread(), keys: await makeKeys(rule.jwks), readAt: this.#now() };
    const place = rule.jwksUrl === undefined ? `issuer ${rule.issuer}` : `keys ${rule.jwksUrl}`;
    const known = this.#known.get(place) ?? unread();
    if (!this.#known.has(place)) {
      const [first] = this.#known.keys();
      if (this.#known.size >= issuersMax && first !== undefined) this.#known.delete(first);
      this.#known.set(place, known);
    }
    if (this.#now() - known.readAt >= freshMs) await this.#readAgain(rule, known);
    return known;
  }

  /** Concurrent callers share a read. False if the last read is so recent that none is made. */
  async #readAgain(rule: IdentityRule, known: Known): Promise<boolean> {
    if (rule.jwks !== undefined) return false;
    if (known.reading === undefined) {
      if (this.#now() - known.triedAt < pauseMs) return false;
      known.triedAt = this.#now();
      known.reading = this.#read(rule, known).finally(() => (known.reading = undefined));
    }
    await known.reading;
    return true;
  }

  async #read(rule: IdentityRule, known: Known): Promise<void> {
    try {
      const signal = AbortSignal.timeout(readingMs);
      const url = rule.jwksUrl ?? (await findKeysUrl(rule.issuer, signal));
      known.keys = await makeKeys(readKeySet(await readJson(url, signal)));
      known.readAt = this.#now();
      known.failure = undefined;
    } catch (error) {
      known.failure = error instanceof Error ? error.message : "it failed";
    }
  }
}

function unread(): Known {
  const never = Number.NEGATIVE_INFINITY;
  return { keys: undefined, readAt: never, triedAt: never, reading: undefined, failure: undefined };
}

async function makeKeys({ keys }: KeySet): Promise<LocalJWKSet> {
  const { createLocalJWKSet } = await import("jose");
  return createLocalJWKSet({ keys: [...keys] as Parameters<typeof createLocalJWKSet>[0]["keys"] });
}

/**
 * OpenID Connect Discovery 1.0. The metadata may name keys only at the origin of the issuer, because an operator has
 * named no other.
 */
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
