// A fetch that answers from a script and records what was sent, for replies and failures that no
// server produces on demand.

import { mock, type TestContext } from "node:test";
import { Sluice, type SluiceOptions } from "../../client/src/sluice.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The reply, or the error to throw. */
export type Answer = (sent: Sent) => Response | Promise<Response>;

export interface Script {
  readonly client: Sluice;
  /** Without requests for tokens. */
  readonly sent: readonly Sent[];
  readonly tokenRequests: readonly Sent[];
}

export const apiKey = "sluice_key_secret";
const found = { first_seen: "2026-07-01T00:00:00Z", last_seen: "2026-07-01T00:00:00Z" };
export const written = { success: true, write_count: 1, message: "1.", organization_id: "o" };

/** Answers the nth request with the nth answer, and all further ones with the last. */
export function follow(answers: readonly Answer[], options: Partial<SluiceOptions> = {}): Script {
  const sent: Sent[] = [];
  const tokenRequests: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (typeof url !== "string") throw new TypeError("the client sends to addresses as text");
    const asked = readSent(url, init);
    if (asked.path === "/auth/token") {
      tokenRequests.push(asked);
      return json(200, tokenReply(tokenRequests.length));
    }
    const answer = answers[Math.min(sent.push(asked), answers.length) - 1];
    if (answer === undefined) throw new Error("the script has no answer");
    return answer(asked);
  };
  const identity = { baseUrl: "https://sluice.invalid", apiKey, organizationId: "o" };
  return { client: new Sluice({ ...identity, fetch, ...options }), sent, tokenRequests };
}

function readSent(url: string, init: RequestInit | undefined): Sent {
  const { method = "GET", body, signal } = init ?? {};
  const { pathname, search } = new URL(url);
  return {
    method,
    path: pathname + search,
    headers: Object.fromEntries(new Headers(init?.headers)),
    body: typeof body === "string" ? body : "",
    signal: signal ?? new AbortController().signal,
  };
}

export function tokenReply(nth: number): object {
  return { token: `sluice_token_secret_${nth}`, expiry: 0, organization_id: "o" };
}

export function json(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Without a body, that of the call's success. */
export function reply(
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): Answer {
  return ({ method }) => json(status, body ?? (method === "GET" ? found : written), headers);
}

export function refuse(code: number, headers: Record<string, string> = {}): Answer {
  return reply(Math.floor(code / 100), { code, message: "No." }, headers);
}

/** With the given X-Request-Id, if any. */
export function named(requestId: string | undefined): Answer {
  return reply(201, written, requestId === undefined ? {} : { "x-request-id": requestId });
}

export function page(status: number): Answer {
  return () => new Response("<html></html>", { status, headers: { "content-type": "text/html" } });
}

export const failConnection: Answer = () => {
  throw new TypeError("fetch failed");
};

/** Never answers, and ends only with the signal. */
export const hang: Answer = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

/**
 * Longer than any delay of the client, so that the timeout of attempts can be distinguished from
 * delays.
 */
export const timeoutMs = 1_000_000;

/** Ends each delay at once, as if it had taken its time, and returns how long they should have been. */
export function recordWaits(
  test: TestContext,
  random: number | (() => number) = 0,
): readonly number[] {
  const waits: number[] = [];
  const begun = performance.now();
  let passedMs = 0;
  const real = globalThis.setTimeout;
  const instead = (then: () => void, milliseconds = 0): NodeJS.Timeout => {
    if (milliseconds === timeoutMs) return real(then, milliseconds);
    waits.push(milliseconds);
    passedMs += milliseconds;
    return real(then, 0);
  };
  const mocks = [
    mock.method(globalThis, "setTimeout", instead),
    mock.method(Math, "random", typeof random === "function" ? random : () => random),
    mock.method(performance, "now", () => begun + passedMs),
  ];
  test.after(() => mocks.forEach(({ mock: each }) => each.restore()));
  return waits;
}
