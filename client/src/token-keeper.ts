// Caches the access token: fetches it when it is first needed, and renews it shortly before it expires, with one
// request however many calls wait for it. Key and token are sent to the service only, and never appear in an error.

import type { Connection } from "./connection.ts";
import type { AccessToken } from "./generated/replies.ts";
import { SluiceError } from "./errors.ts";
import { fitsHeader, readTokenSource, type SluiceOptions, wrong } from "./options.ts";
import { until } from "./wait.ts";

interface CachedToken {
  readonly token: string;
  /** Unix milliseconds by the clock of this machine. */
  readonly renewAt: number;
}

/** A token is renewed this long before it expires, or after nine tenths of its lifetime if that is later. */
const marginMs = 60_000;

export class TokenKeeper {
  readonly #fetch: () => Promise<CachedToken>;
  #cached: CachedToken | undefined;
  #coming: Promise<CachedToken> | undefined;

  /** Throws TypeError for options that are missing or wrong. */
  constructor(connection: Connection, options: SluiceOptions) {
    this.#fetch =
      options.getToken === undefined
        ? fetchFromService(connection, options)
        : fetchWithCallback(options.getToken);
  }

  async get(signal?: AbortSignal): Promise<string> {
    if (this.#cached !== undefined && Date.now() < this.#cached.renewAt) return this.#cached.token;
    this.#coming ??= this.#renew();
    return (await until(this.#coming, signal)).token;
  }

  /** Discards a token that the service no longer accepts. */
  forget(token: string): void {
    if (this.#cached?.token === token) this.#cached = undefined;
  }

  /** Shared by all calls that wait, so the signal of a call does not end it. */
  async #renew(): Promise<CachedToken> {
    try {
      this.#cached = await this.#fetch();
      return this.#cached;
    } finally {
      this.#coming = undefined;
    }
  }
}

function fetchFromService(
  connection: Connection,
  options: SluiceOptions,
): () => Promise<CachedToken> {
  const { organizationId, expirySeconds = 3_600 } = options;
  const request =
    options.tokenSource === undefined
      ? requestWithKey(options, expirySeconds)
      : requestWithSource(options, expirySeconds);
  if (!organizationId) throw wrong("organizationId", "the id of the organization of the key");
  if (!Number.isInteger(expirySeconds) || expirySeconds < 300 || expirySeconds > 86_400) {
    throw wrong("expirySeconds", "a whole number from 300 to 86400");
  }
  return async () => {
    const askedAt = Date.now();
    const reply = await request(connection);
    // The lifetime is counted from the request, so the clock of this machine need not be right.
    return toCachedToken(reply.token, {
      from: askedAt,
      lifeMs: (reply.expires_in ?? expirySeconds) * 1_000,
    });
  };
}

/** The lifetime in seconds is in the reply to a token of a platform. */
type TokenReply = AccessToken & { readonly expires_in?: number };

type Request = (connection: Connection) => Promise<TokenReply>;

const path = "/auth/token";
const defaultScopes = ["transactions:write"] as const;

function requestWithKey(options: SluiceOptions, expirySeconds: number): Request {
  const { organizationId, scopes = defaultScopes } = options;
  const apiKey = options.apiKey?.trim();
  if (!fitsHeader(apiKey)) {
    throw wrong("apiKey", "the key from the operator, unless getToken or tokenSource is set");
  }
  const body = JSON.stringify({
    expiry_seconds: expirySeconds,
    scopes: { organization_id: organizationId, scopes },
  });
  return async (connection) =>
    (await connection.request({ method: "POST", path, body }, apiKey)) as AccessToken;
}

/** Uses RFC 7523. A refused token may have been replaced meanwhile, so another one is tried once. */
function requestWithSource(options: SluiceOptions, expirySeconds: number): Request {
  const { organizationId = "", scopes = defaultScopes, tokenSource = "" } = options;
  const read = readTokenSource(tokenSource);
  return async (connection) => {
    const exchange = async (token: string): Promise<TokenReply> => {
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: token,
        organization_id: organizationId,
        scope: scopes.join(" "),
        expiry_seconds: String(expirySeconds),
      });
      return (await connection.request({ method: "POST", path, body })) as TokenReply;
    };
    const token = await read();
    try {
      return await exchange(token);
    } catch (error) {
      const isRefused = error instanceof SluiceError && error.code === 40102;
      const next = isRefused ? await read() : token;
      if (next === token) throw error;
      return exchange(next);
    }
  };
}

function fetchWithCallback(
  getToken: NonNullable<SluiceOptions["getToken"]>,
): () => Promise<CachedToken> {
  return async () => {
    const { token, expiry } = await getToken();
    const now = Date.now();
    // The expiry is by the clock of the service, so a token that seems to have expired may be valid. The service
    // decides.
    const lifeMs = Math.max(expiry * 1_000 - now, marginMs);
    return toCachedToken(token, { from: now, lifeMs });
  };
}

function toCachedToken(
  token: unknown,
  { from, lifeMs }: { from: number; lifeMs: number },
): CachedToken {
  if (!fitsHeader(token)) throw new TypeError("The reply contains no valid access token.");
  return { token, renewAt: from + lifeMs - Math.min(marginMs, lifeMs / 10) };
}
