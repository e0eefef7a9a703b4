// Sends all requests of the client, with retries. All attempts of a call have the same Idempotency-Key.

import { type Attempt, broken, exchange, type Reply } from "./exchange.ts";
import { SluiceError } from "./errors.ts";
import type { ErrorItem } from "./generated/replies.ts";
import type { Settings } from "./options.ts";
import { readRetryAfter, RetryPolicy } from "./retry-policy.ts";
import { sleep } from "./wait.ts";

/** A request, without credentials. */
export interface Ask {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** JSON, or a form. */
  readonly body?: string | URLSearchParams | undefined;
  readonly lenient?: boolean;
  /** The list is lenient, and each item gets the result of a single request. */
  readonly asSingle?: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the service waits on purpose before it answers. */
  readonly waitMs?: number;
  /** Called with a successful reply. */
  readonly onReply?: (reply: Reply) => void;
}

export class Connection {
  readonly #settings: Settings;
  readonly #name = randomName();
  #calls = 0;
  /** Whether a reply has ever arrived. */
  #answered = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Resolves to the JSON object or list of the reply; a reply without content is an empty list. Throws SluiceError,
   * SluiceNetworkError, or the signal's reason.
   */
  async request(ask: Ask, authorization?: string): Promise<object> {
    this.#calls += 1;
    const call = `${this.#name}.${this.#calls}`;
    const { retry } = this.#settings;
    const policy = new RetryPolicy(retry);
    for (let number = 1; ; number += 1) {
      const { method, path, signal, waitMs = 0 } = ask;
      const body = ask.body?.toString();
      const headers = headersOf(ask, authorization);
      const attempt = { method, path, headers, body, call, number, signal, waitMs };
      try {
        const reply = await exchange(this.#settings, attempt);
        const answer = parse(attempt, reply);
        this.#answered = true;
        if (!isGood(reply)) throw refusal(attempt, reply, answer);
        ask.onReply?.(reply);
        return answer;
      } catch (error) {
        const delayMs = policy.delayMsAfter(error, this.#answered);
        if (delayMs === undefined) throw error;
        await sleep(delayMs, either(signal, retry.stopping));
      }
    }
  }
}

function either(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

/** 128 random bits. Not `crypto.randomUUID`, because browsers have that only on secure pages. */
export function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function headersOf(ask: Ask, authorization: string | undefined): Record<string, string> {
  const type = typeof ask.body === "string" ? "json" : "x-www-form-urlencoded";
  return {
    ...(authorization === undefined ? {} : { authorization }),
    accept: "application/json",
    ...(ask.body === undefined ? {} : { "content-type": `application/${type}` }),
    ...(ask.lenient === true ? { prefer: "handling=lenient" } : {}),
    ...(ask.asSingle === true ? { prefer: "handling=lenient, verdicts=single" } : {}),
    ...(ask.idempotencyKey === undefined ? {} : { "idempotency-key": ask.idempotencyKey }),
  };
}

function isGood({ status }: Reply): boolean {
  return status >= 200 && status < 300;
}

/**
 * A reply that is declared as JSON but is none, or is a success without what the call returns, was truncated, or is
 * that of another server. A refusal that is not an object is an empty one.
 */
function parse(attempt: Attempt, reply: Reply): object {
  const body = reply.status === 204 ? [] : parseJson(reply.text);
  const found: object = typeof body === "object" && body !== null ? body : {};
  const isComplete = isGood(reply)
    ? isSuccess(attempt, found)
    : body !== undefined || !reply.isJson;
  if (isComplete) return found;
  throw broken(attempt, "A reply was truncated, or is not from Sluice");
}

/** Whether it is a list for a page of changes, or has a field that every success of the call has. */
function isSuccess({ method, path }: Attempt, body: object): boolean {
  if (path.startsWith("/v2/changes?")) return Array.isArray(body);
  if (path === "/auth/token") return "token" in body;
  if (path.startsWith("/v2/deletion_request")) return "deletion_request_id" in body;
  return (method === "GET" ? "first_seen" : "write_count") in body;
}

interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly errors?: readonly ErrorItem[] | null;
}

/** Whether the service itself refused the request, and not a proxy with JSON of its own. */
function isOurs(body: { readonly [name in keyof ErrorBody]?: unknown }): body is ErrorBody {
  const errors = body.errors ?? [];
  return (
    Number.isSafeInteger(body.code) &&
    body.code !== 0 &&
    typeof body.message === "string" &&
    body.message !== "" &&
    Array.isArray(errors) &&
    errors.every((item) => typeof item === "object" && item !== null)
  );
}

function refusal(attempt: Attempt, reply: Reply, body: object): SluiceError {
  const { status, requestId } = reply;
  const other = { code: status, message: describeUnknownError(status), errors: [] };
  const { code, message, errors } = isOurs(body) ? body : other;
  return new SluiceError(describe(message, errors ?? []), {
    status,
    code,
    errors: errors ?? [],
    requestId,
    idempotencyKey: attempt.headers["idempotency-key"],
    retryAfterMs: readRetryAfter(reply.retryAfter),
  });
}

const shownMax = 3;

/** The message, with the first invalid fields if they say more than the message does. */
export function describe(message: string, errors: readonly ErrorItem[]): string {
  const telling = errors.filter((error) => ![undefined, message].includes(error.message));
  const shown = telling
    .slice(0, shownMax)
    .map(({ field = "", message: why = "" }) => `${field} ${why}`.trim());
  const more = telling.length > shownMax ? [`and ${telling.length - shownMax} more`] : [];
  return [message, [...shown, ...more].join("; ")].join(" ").trim();
}

/** Browsers report a redirect with status 0. */
function describeUnknownError(status: number): string {
  return status === 0 || (status >= 300 && status < 400)
    ? "The reply is a redirect, which is not followed; set baseUrl to the address that it leads to."
    : `Something other than Sluice answered with status ${status}; check baseUrl and any proxy in between.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
