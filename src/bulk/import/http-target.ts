// Any Sluice over HTTP as the target of an import: a token for the key, lists with Prefer: handling=lenient and an
// Idempotency-Key, and patience with a server that is busy or away. The key goes into one header and nowhere else.

import { setTimeout as sleep } from "node:timers/promises";
import type { RecordType } from "../../domain/record-type.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import type { ItemOutcome, Target, TargetList } from "./target.ts";

export interface HttpTargetOptions {
  /** Of the server, without a path of ours. */
  readonly url: string;
  readonly apiKey: string;
  readonly organizationId: string;
  /** Ends the waiting for another attempt; what is under way is not broken off. */
  readonly stopping: AbortSignal;
  /** How long a server that does not answer, or answers with 5xx, is tried again. */
  readonly patienceMs: number;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}

interface Ask {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const tokenSeconds = 3_600;
/** A token is replaced this long before its end. */
const tokenMarginMs = 60_000;
const requestMsMax = 120_000;
const pauseMsMin = 250;
const pauseMsMax = 30_000;

export function httpTarget(options: HttpTargetOptions): Target {
  let token: Promise<{ text: string; endsAt: number }> | undefined;
  const authorize = async (type: RecordType): Promise<string> => {
    let current = await (token ??= fetchToken(options, type));
    if (current.endsAt - tokenMarginMs < Date.now())
      current = await (token = fetchToken(options, type));
    return `Bearer ${current.text}`;
  };
  return {
    name: options.url,
    send: async (list) => {
      let answer = await sendList(options, list, await authorize(list.type));
      // A token that has just expired or was revoked; a second refusal is final.
      if (answer.status === 401) {
        token = undefined;
        answer = await sendList(options, list, await authorize(list.type));
      }
      return readResults(answer, list, options);
    },
  };
}

function sendList(
  options: HttpTargetOptions,
  list: TargetList,
  authorization: string,
): Promise<Answer> {
  const { type, update, texts, key } = list;
  return exchange(options, {
    method: update ? "PUT" : "POST",
    path: `/v2/${type.batchPath ?? type.resourceType}`,
    headers: { authorization, prefer: "handling=lenient", "idempotency-key": key },
    body: `[${texts.join(",")}]`,
  });
}

async function fetchToken(
  options: HttpTargetOptions,
  { family }: RecordType,
): Promise<{ text: string; endsAt: number }> {
  const { apiKey, organizationId } = options;
  const scopes = { organization_id: organizationId, scopes: [`${family}:write`] };
  const answer = await exchange(options, {
    method: "POST",
    path: "/auth/token",
    headers: { authorization: apiKey },
    body: JSON.stringify({ expiry_seconds: tokenSeconds, scopes }),
  });
  const text = answer.body["token"];
  if (answer.status !== 200 || typeof text !== "string") throw refused(options, "a token", answer);
  return { text, endsAt: Date.now() + tokenSeconds * 1_000 };
}

/** Tries again while the server says so, is away, or fails; anything else is an answer. */
async function exchange(options: HttpTargetOptions, ask: Ask): Promise<Answer> {
  const { stopping, patienceMs } = options;
  let failingSince: number | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await attemptOnce(options, ask);
    if (!(answer instanceof Error) && !isTransient(answer)) return answer;
    const isLimit = !(answer instanceof Error) && answer.status === 429;
    failingSince = isLimit ? undefined : (failingSince ?? performance.now());
    if (failingSince !== undefined && performance.now() - failingSince > patienceMs) {
      throw answer instanceof Error
        ? unreachable(options, answer)
        : refused(options, "the list", answer);
    }
    const pauseMs = Math.min(pauseMsMin * 2 ** Math.min(attempt, 16), pauseMsMax);
    const asked = answer instanceof Error ? undefined : answer.retryAfterMs;
    await sleep(asked ?? pauseMs, undefined, { signal: stopping });
  }
}

/** Too many requests, the same list still under way, time-outs and faults of the server. */
function isTransient({ status, body }: Answer): boolean {
  return status === 429 || status === 408 || status >= 500 || body["code"] === 40904;
}

async function attemptOnce(
  { url }: HttpTargetOptions,
  { method, path, headers, body }: Ask,
): Promise<Answer | Error> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      body,
      headers: { "content-type": "application/json", ...headers },
      // What follows a redirection would carry the key or the records elsewhere.
      redirect: "manual",
      signal: AbortSignal.timeout(requestMsMax),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: readObject(text),
      retryAfterMs: retryAfterMs(response),
    };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** In seconds, as Sluice says it; a proxy may say a date instead, and is then tried again by our own measure. */
function retryAfterMs(response: Response): number | undefined {
  const given = response.headers.get("retry-after");
  const seconds = given === null || given.trim() === "" ? Number.NaN : Number(given);
  return seconds >= 0 && seconds <= 86_400 ? seconds * 1_000 : undefined;
}

function readResults(
  answer: Answer,
  { payloads }: TargetList,
  options: HttpTargetOptions,
): readonly ItemOutcome[] {
  const { results } = answer.body;
  const isSuccess = answer.status === 200 || answer.status === 201;
  if (isSuccess && Array.isArray(results) && results.length === payloads.length) {
    return results as readonly ItemOutcome[];
  }
  throw refused(options, "the list", answer);
}

function refused(
  { url }: HttpTargetOptions,
  what: string,
  { status, body }: Answer,
): OperatorError {
  const { code, message } = body;
  const said = typeof message === "string" ? `: ${message}` : ".";
  const place = typeof code === "number" ? `${status} (${code})` : String(status);
  return new OperatorError("server", `${url} answered ${what} with ${place}${said}`);
}

function unreachable({ url }: HttpTargetOptions, cause: Error): OperatorError {
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  return new OperatorError("server", `${url} does not answer: ${reason}.`, { cause });
}
