// One attempt: sends a request and reads the complete reply within the time limit. Checks that the reply belongs to
// this request, but not what it says. Never follows a redirect, because the credential is not meant for its target.

import { SluiceNetworkError } from "./errors.ts";
import type { Settings } from "./options.ts";

export interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The id of the call: the same for all its attempts, and unique. */
  readonly call: string;
  readonly number: number;
  readonly signal: AbortSignal | undefined;
  /** How long the service waits on purpose, beyond the time limit of an attempt. */
  readonly waitMs: number;
}

export interface Reply {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: string | null;
  readonly isJson: boolean;
  readonly headers: Pick<Headers, "get">;
  readonly text: string;
}

/**
 * Throws SluiceNetworkError if no complete reply to this call arrived, or the signal's reason if the signal ended it.
 */
export async function exchange(settings: Settings, attempt: Attempt): Promise<Reply> {
  const { signal } = attempt;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal?.throwIfAborted();
  signal?.addEventListener("abort", end, { once: true });
  const timeoutMs = settings.timeoutMs + attempt.waitMs;
  const timer = setTimeout(end, timeoutMs);
  try {
    const reply = await send(settings, attempt, ending.signal);
    requireOwn(reply, attempt);
    return reply;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SluiceNetworkError) throw cause;
    if (!ending.signal.aborted) {
      throw broken(attempt, "No complete reply arrived", { reason: reasonOf(cause), cause });
    }
    throw broken(attempt, `No reply arrived within ${timeoutMs} ms`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

async function send(settings: Settings, attempt: Attempt, signal: AbortSignal): Promise<Reply> {
  const { method, path, headers, body, call, number } = attempt;
  const response = await settings.fetch(settings.baseUrl + path, {
    method,
    headers: { ...headers, "x-request-id": `${call}.${number}` },
    redirect: "manual",
    signal,
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfter: response.headers.get("retry-after"),
    isJson: /\bjson\b/.test(response.headers.get("content-type") ?? ""),
    headers: response.headers,
    text: await response.text(),
  };
}

/**
 * If a reply was sent twice, the second copy stays on the connection and would be read as the reply to the next
 * request. The service returns our X-Request-Id. Proxies may replace it with their own, so only an id of another call
 * proves a mix-up.
 */
function requireOwn({ requestId }: Reply, attempt: Attempt): void {
  const client = attempt.call.slice(0, attempt.call.indexOf(".") + 1);
  if (requestId?.startsWith(client) !== true || requestId.startsWith(`${attempt.call}.`)) return;
  throw broken(attempt, "A reply to another request arrived");
}

interface Breakage {
  readonly reason?: string;
  readonly cause?: unknown;
}

export function broken(
  attempt: Attempt,
  what: string,
  { reason, cause }: Breakage = {},
): SluiceNetworkError {
  const { method, path, number } = attempt;
  const where = `${method} ${path.split("?", 1)[0]}`;
  const idempotencyKey = attempt.headers["idempotency-key"];
  const tried = number === 1 ? "" : `, tried ${number} times`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return new SluiceNetworkError(`${what} (${where}${tried})${why}.`, {
    attempts: number,
    idempotencyKey,
    cause,
  });
}

/** What errors of runtimes have besides a message. */
interface RuntimeError {
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Of several addresses of a host. */
  readonly errors?: readonly unknown[];
  /** Of TLS. */
  readonly reason?: unknown;
  readonly code?: unknown;
}

/**
 * What the runtime says, such as `connect ECONNREFUSED 127.0.0.1:8080`. `fetch` itself says only that it failed. The
 * query is removed, because some runtimes show the whole address, which can contain the id of a record.
 */
function reasonOf(error: unknown): string {
  const inner = innermost(Object(error) as RuntimeError);
  const text = [inner.reason, inner.message].find((each) => typeof each === "string") ?? "";
  const plain = text.replace(/\?[^\s)]*/g, "").replace(/\.$/, "");
  const { code } = inner;
  if (code === noTls)
    return `the TLS connection failed: that port may speak HTTP without TLS (${code})`;
  return typeof code !== "string" || plain.includes(code) ? plain : `${plain} (${code})`;
}

const noTls = "ERR_SSL_WRONG_VERSION_NUMBER";
const causesMax = 5;

function innermost(error: RuntimeError, depth = 0): RuntimeError {
  const next = (error.cause ?? error.errors?.at(-1)) as RuntimeError | undefined;
  const isError = typeof next?.message === "string";
  return isError && depth < causesMax ? innermost(next, depth + 1) : error;
}
