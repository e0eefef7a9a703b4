// The access token: fetched when it is first needed, kept, and renewed shortly before its end, by one request however many
// wait for it. Shows neither key nor token to anybody but the service.

import type { Connection } from "./connection.ts";
import type { AccessToken } from "./generated/replies.ts";
import { fitsHeader, type SluiceOptions, wrong } from "./options.ts";
import { until } from "./wait.ts";

interface Kept {
  readonly token: string;
  /** Unix milliseconds, by the clock of this machine. */
  readonly renewAt: number;
}

/** Renewed this long before its end, or a tenth of its life before if that is less. */
const marginMs = 60_000;

export class TokenKeeper {
  readonly #fetch: () => Promise<Kept>;
  #kept: Kept | undefined;
  #coming: Promise<Kept> | undefined;

  /** Throws TypeError for options that are missing or wrong. */
  constructor(connection: Connection, options: SluiceOptions) {
    this.#fetch =
      options.getToken === undefined
        ? fetchWithKey(connection, options)
        : fetchElsewhere(options.getToken);
  }

  async get(signal?: AbortSignal): Promise<string> {
    if (this.#kept !== undefined && Date.now() < this.#kept.renewAt) return this.#kept.token;
    this.#coming ??= this.#renew();
    return (await until(this.#coming, signal)).token;
  }

  /** A token that the service does not take any more is not given again. */
  forget(token: string): void {
    if (this.#kept?.token === token) this.#kept = undefined;
  }

  /** Belongs to all who wait, so no one's signal ends it. */
  async #renew(): Promise<Kept> {
    try {
      this.#kept = await this.#fetch();
      return this.#kept;
    } finally {
      this.#coming = undefined;
    }
  }
}

function fetchWithKey(connection: Connection, options: SluiceOptions): () => Promise<Kept> {
  const { organizationId, scopes = ["transactions:write"], expirySeconds = 3_600 } = options;
  const apiKey = options.apiKey?.trim();
  if (!fitsHeader(apiKey))
    throw wrong("apiKey", "the key as the operator gave it, or getToken be given");
  if (!organizationId) throw wrong("organizationId", "the id of the organization of the key");
  if (!Number.isInteger(expirySeconds) || expirySeconds < 300 || expirySeconds > 86_400) {
    throw wrong("expirySeconds", "a whole number from 300 to 86400");
  }
  const body = JSON.stringify({
    expiry_seconds: expirySeconds,
    scopes: { organization_id: organizationId, scopes },
  });
  return async () => {
    const askedAt = Date.now();
    const reply = await connection.request({ method: "POST", path: "/auth/token", body }, apiKey);
    // Counted from here, so that it does not matter whether this machine's clock is right.
    return keep((reply as AccessToken).token, { from: askedAt, lifeMs: expirySeconds * 1_000 });
  };
}

function fetchElsewhere(getToken: NonNullable<SluiceOptions["getToken"]>): () => Promise<Kept> {
  return async () => {
    const { token, expiry } = await getToken();
    const now = Date.now();
    // By the service's clock, so a token that seems to have ended may have not; the service tells.
    const lifeMs = Math.max(expiry * 1_000 - now, marginMs);
    return keep(token, { from: now, lifeMs });
  };
}

function keep(token: unknown, { from, lifeMs }: { from: number; lifeMs: number }): Kept {
  if (!fitsHeader(token)) throw new TypeError("What came as an access token can't be one.");
  return { token, renewAt: from + lifeMs - Math.min(marginMs, lifeMs / 10) };
}
