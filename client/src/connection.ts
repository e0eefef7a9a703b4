// Sends every request of the client, with retries, all attempts of a call under one Idempotency-Key. Knows nothing of
// tokens but the header.

import { type Attempt, broken, exchange, type Reply } from "./exchange.ts";
import { SluiceError } from "./errors.ts";
import type { ErrorItem } from "./generated/replies.ts";
import type { Settings } from "./options.ts";
import { readRetryAfter, RetryPolicy } from "./retry-policy.ts";
import { sleep } from "./wait.ts";

/** What is asked of the service. */
export interface Ask {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
  readonly lenient?: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Connection {
  readonly #settings: Settings;
  readonly #name = randomName();
  #calls = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The reply's object. Throws SluiceError, SluiceNetworkError, or the signal's reason. */
  async request(ask: Ask, authorization: string): Promise<object> {
    this.#calls += 1;
    const call = `${this.#name}.${this.#calls}`;
    const { retry } = this.#settings;
    const policy = new RetryPolicy(retry);
    for (let number = 1; ; number += 1) {
      const { method, path, body, signal } = ask;
      const headers = headersOf(ask, authorization);
      const attempt = { method, path, headers, body, call, number, signal };
      try {
        return read(attempt, await exchange(this.#settings, attempt));
      } catch (error) {
        const delayMs = policy.delayMsAfter(error);
        if (delayMs === undefined) throw error;
        await sleep(delayMs, either(signal, retry.stopping));
      }
    }
  }
}

function either(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** 128 random bits. Not `crypto.randomUUID`, which browsers have only on secure pages. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function headersOf(ask: Ask, authorization: string): Record<string, string> {
  return {
    authorization,
    accept: "application/json",
    ...(ask.body === undefined ? {} : { "content-type": "application/json" }),
    ...(ask.lenient === true ? { prefer: "handling=lenient" } : {}),
    ...(ask.idempotencyKey === undefined ? {} : { "idempotency-key": ask.idempotencyKey }),
  };
}

/** A reply that can't be parsed was truncated, whatever its status, unless it does not claim to be JSON. */
function read(attempt: Attempt, reply: Reply): object {
  const { status, text, isJson } = reply;
  const isGood = status >= 200 && status < 300;
  const body = parseObject(text);
  if (body === undefined && (isGood || isJson)) throw broken(attempt, "A reply broke off");
  if (isGood && body !== undefined) return body;
  throw refusal(attempt, reply, body ?? {});
}

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly errors?: readonly ErrorItem[];
}

function refusal(attempt: Attempt, reply: Reply, body: ErrorBody): SluiceError {
  const { status, requestId } = reply;
  const isOurs = typeof body.code === "number" && typeof body.message === "string";
  const errors = isOurs ? (body.errors ?? []) : [];
  const message = isOurs ? describe(body.message, errors) : describeUnknownError(status);
  return new SluiceError(message, {
    status,
    code: isOurs ? body.code : status,
    errors,
    requestId,
    idempotencyKey: attempt.headers["idempotency-key"],
    retryAfterMs: readRetryAfter(reply.retryAfter),
  });
}

const shownMax = 3;

/** The message, and the first fields at fault where they say more than the message does. */
function describe(message: string, errors: readonly ErrorItem[]): string {
  const telling = errors.filter((error) => error.message !== message);
  const shown = telling
    .slice(0, shownMax)
    .map(({ field = "", message: why = "" }) => `${field} ${why}`.trim());
  const more = telling.length > shownMax ? [`and ${telling.length - shownMax} more`] : [];
  return [message, [...shown, ...more].join("; ")].join(" ").trim();
}

/** A browser shows nothing of a redirect, not even its status. */
function describeUnknownError(status: number): string {
  return status === 0 || (status >= 300 && status < 400)
    ? "The answer is a redirect, which is not followed; set baseUrl to the address itself."
    : `Something that is not Sluice answered with status ${status}; check baseUrl and what is in between.`;
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
