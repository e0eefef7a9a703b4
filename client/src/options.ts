// What a client is made with, read and checked once. Errors name the option, and never repeat a value: it may be a secret.

import type { AccessToken, Scope } from "./generated/replies.ts";
import type { RetryLimits } from "./retry-policy.ts";

export interface SluiceOptions {
  /** Where the service is, such as `https://intake.example.com`; a path in front of the API's may be part of it. */
  readonly baseUrl: string;
  /** From the operator. Keep it out of browsers: give those `getToken`. */
  readonly apiKey?: string | undefined;
  /** The organization that the key belongs to. */
  readonly organizationId?: string | undefined;
  /** What tokens are asked for; `transactions:write` if left out. */
  readonly scopes?: readonly Scope[] | undefined;
  /** How long a token lasts, 300 to 86400; 3600 if left out. */
  readonly expirySeconds?: number | undefined;
  /** In the place of `apiKey`: gives a token as `POST /auth/token` answers it, such as from a backend of your own. */
  readonly getToken?: (() => Promise<Pick<AccessToken, "token" | "expiry">>) | undefined;
  /** How often a call is tried again after a failure; 8 if left out, which takes some 15 seconds. */
  readonly retries?: number | undefined;
  /** How long one attempt may take; 30,000 if left out. A call's `signal` bounds all of its attempts. */
  readonly timeoutMs?: number | undefined;
  /** In the place of the runtime's own. */
  readonly fetch?: typeof fetch | undefined;
}

export interface Settings {
  readonly baseUrl: string;
  readonly retry: RetryLimits;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}

/** Throws TypeError for an option that is missing or wrong. */
export function readSettings(options: SluiceOptions): Settings {
  const { retries = 8, timeoutMs = 30_000 } = options;
  if (!Number.isInteger(retries) || retries < 0) throw wrong("retries", "a whole number from 0");
  // A timer that is set for longer than this fires at once.
  const longestMs = 2 ** 31 - 1;
  if (!(timeoutMs > 0 && timeoutMs <= longestMs)) {
    throw wrong("timeoutMs", `a number of milliseconds up to ${longestMs}`);
  }
  // Browsers want it called on the global object.
  const send = options.fetch ?? ((...sent) => globalThis.fetch(...sent));
  return { baseUrl: readBaseUrl(options.baseUrl), retry: { retries }, timeoutMs, fetch: send };
}

function readBaseUrl(text: string): string {
  const expected =
    "an address such as https://intake.example.com, without a user, query or fragment";
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong("baseUrl", expected);
  }
  const isPlain = `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) throw wrong("baseUrl", expected);
  let end = url.href.length;
  while (url.href[end - 1] === "/") end -= 1;
  return url.href.slice(0, end);
}

/** Whether a text can stand in a header; the runtime's own complaint would repeat it. */
export function fitsHeader(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}

export function wrong(option: string, expected: string): TypeError {
  return new TypeError(`${option} must be ${expected}.`);
}
