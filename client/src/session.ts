// An authenticated call: with an access token, with an Idempotency-Key if it writes, and with one renewal if the token
// is no longer valid. Never renews the token of a revoked key.

import { type Ask, type Connection, randomName } from "./connection.ts";
import { SluiceError } from "./errors.ts";
import type { TokenKeeper } from "./token-keeper.ts";

export interface CallOptions {
  /** Ends the call with all its attempts and delays; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** 1 to 255 visible ASCII characters. Default: a random one for each call. */
  readonly idempotencyKey?: string | undefined;
}

export const callOptionNames: readonly (keyof CallOptions)[] = ["signal", "idempotencyKey"];

/** Token unknown, and token expired. */
const staleCodes: ReadonlySet<number> = new Set([40102, 40103]);

export class Session {
  readonly #connection: Connection;
  readonly #tokens: TokenKeeper;
  /** Whether concurrent calls are sent as lists. */
  readonly batching: boolean;

  constructor(connection: Connection, tokens: TokenKeeper, batching = false) {
    this.#connection = connection;
    this.#tokens = tokens;
    this.batching = batching;
  }

  /** All attempts have the same Idempotency-Key, so the call takes effect once, whatever fails. */
  async call<Reply>(ask: Ask): Promise<Reply> {
    const keyed = ask.method === "GET" ? ask : { ...ask, idempotencyKey: keyOf(ask) };
    const token = await this.#tokens.get(ask.signal);
    try {
      return (await this.#request(keyed, token)) as Reply;
    } catch (error) {
      if (!(error instanceof SluiceError) || !staleCodes.has(error.code)) throw error;
      this.#tokens.forget(token);
      return (await this.#request(keyed, await this.#tokens.get(ask.signal))) as Reply;
    }
  }

  #request(ask: Ask, token: string): Promise<object> {
    return this.#connection.request(ask, `Bearer ${token}`);
  }
}

function keyOf({ idempotencyKey = randomName() }: Ask): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw new TypeError("idempotencyKey must be 1 to 255 visible ASCII characters.");
}
