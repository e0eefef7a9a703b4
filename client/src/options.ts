// The options of a client, checked once. Errors name the option, and never repeat its value, which may be a secret.

import type { AccessToken, Scope } from "./generated/replies.ts";
import type { RetryLimits } from "./retry-policy.ts";

export interface SluiceOptions {
  /** The address of the service without a path, such as `https://intake.example.com`. */
  readonly baseUrl: string;
  /** The API key from the operator. Do not use it in browsers: use `getToken` there. */
  readonly apiKey?: string | undefined;
  /**
   * Instead of `apiKey`, for a program with a token of its platform: the path of the file with the token, or a function
   * that resolves to it. It is read each time that an access token is needed.
   */
  readonly tokenSource?: string | (() => string | Promise<string>) | undefined;
  /** The organization that the key belongs to, or that trusts the platform. */
  readonly organizationId?: string | undefined;
  /** The scopes of the access tokens. Default: `transactions:write`. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The lifetime of a token, 300 to 86400. Default: 3600. */
  readonly expirySeconds?: number | undefined;
  /**
   * Instead of `apiKey`: resolves to a token in the form of the reply to `POST /auth/token`, such as from your own
   * backend.
   */
  readonly getToken?: (() => Promise<Pick<AccessToken, "token" | "expiry">>) | undefined;
  /**
   * How long a call is retried after its first failure, such as while the service restarts. Default: 120,000. 0
   * disables retries.
   */
  readonly retryForMs?: number | undefined;
  /** The time limit of one attempt. Default: 30,000. The `signal` of a call limits all of its attempts. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether concurrent calls of `add` and `update` with one record are sent as one list, with the answers that they
   * would get alone. A call with an `idempotencyKey` never is. Default: true.
   */
  readonly batching?: boolean | undefined;
  /** Replaces the runtime's own function. */
  readonly fetch?: typeof fetch | undefined;
}

export interface Settings {
  readonly baseUrl: string;
  readonly retry: RetryLimits;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
}

const optionNames: Readonly<Record<keyof SluiceOptions, true>> = {
  baseUrl: true,
  apiKey: true,
  tokenSource: true,
  organizationId: true,
  scopes: true,
  expirySeconds: true,
  getToken: true,
  retryForMs: true,
  timeoutMs: true,
  batching: true,
  fetch: true,
};
const identities = ["apiKey", "tokenSource", "getToken"] as const;

/** Throws TypeError for an option that is missing, wrong or unknown. */
export function readSettings(options: SluiceOptions): Settings {
  requireKnown(options, Object.keys(optionNames));
  const [given, other] = identities.filter((name) => options[name] !== undefined);
  if (other !== undefined) throw new TypeError(`${given} and ${other} exclude each other.`);
  const { retryForMs = 120_000, timeoutMs = 30_000 } = options;
  // A timer with a longer delay fires immediately.
  const longestMs = 2 ** 31 - 1;
  if (!(timeoutMs > 0 && timeoutMs <= longestMs)) {
    throw wrong("timeoutMs", `a number of milliseconds up to ${longestMs}`);
  }
  if (!(retryForMs >= 0 && retryForMs <= longestMs)) {
    throw wrong("retryForMs", `a number of milliseconds from 0 to ${longestMs}`);
  }
  // Browsers require that fetch is called on the global object.
  const send = options.fetch ?? ((...sent) => globalThis.fetch(...sent));
  const retry = { failingMsMax: retryForMs };
  return { baseUrl: readBaseUrl(options.baseUrl), retry, timeoutMs, fetch: send };
}

function readBaseUrl(text: string): string {
  const expected =
    "an address such as https://intake.example.com, without a user, path, query or fragment";
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw wrong("baseUrl", expected);
  }
  const { username, password, pathname, search, hash } = url;
  const isPlain = `${username}${password}${pathname}${search}${hash}` === "/";
  if (!isPlain || !/^https?:$/.test(url.protocol)) throw wrong("baseUrl", expected);
  return url.origin;
}

/** Throws TypeError for a name that is misspelt, because what was meant would have no effect. */
export function requireKnown(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${unknown} is not an option; the options are ${names.join(", ")}.`);
  }
}

/** Whether a text is valid in a header. The runtime's own error would repeat the text. */
export function fitsHeader(text: unknown): text is string {
  return typeof text === "string" && /^[\x21-\x7e]+$/.test(text);
}

/** Throws TypeError for what is neither a path nor a function, and where the runtime can read no file. */
export function readTokenSource(source: NonNullable<SluiceOptions["tokenSource"]>) {
  const expected = "the path of a file, or a function that returns the token of the platform";
  const read = typeof source === "string" ? readerOf(source) : source;
  if (typeof read !== "function" || source === "") throw wrong("tokenSource", expected);
  return async (): Promise<string> => {
    const token: unknown = await read();
    const trimmed = typeof token === "string" ? token.trim() : undefined;
    if (!fitsHeader(trimmed)) throw new TypeError("The tokenSource has returned no token.");
    return trimmed;
  };
}

interface Runtime {
  readonly process?: {
    getBuiltinModule?(
      name: "node:fs/promises",
    ): { readFile(path: string, encoding: "utf8"): Promise<string> } | undefined;
  };
}

/** This avoids an import, so that the package can be loaded where there are no files. */
function readerOf(path: string): () => Promise<string> {
  const files = (globalThis as Runtime).process?.getBuiltinModule?.("node:fs/promises");
  if (files === undefined) throw wrong("tokenSource", "a function where the runtime has no files");
  return () => files.readFile(path, "utf8");
}

/** Throws TypeError for an argument that is empty or no text, which would be sent as another one, such as `null`. */
export function requireText(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw wrong(name, "a text that is not empty");
}

export function wrong(option: string, expected: string): TypeError {
  return new TypeError(`${option} must be ${expected}.`);
}
