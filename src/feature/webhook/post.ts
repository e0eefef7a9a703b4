// Sends one message of a webhook over a connection of its own. Bounded in time, in headers and in what is read of the
// reply; follows no redirect, and connects only to an address that was checked.

import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { http } from "../../basics/node-http.ts";
import { withoutBrackets } from "../../basics/url-hostname.ts";
import type { AllowedAddresses } from "./allowed-address.ts";
import { Resolver } from "node:dns/promises";

/** The bound for everything: the name, the connection, the request and the head of the reply. */
const attemptMs = 10_000;
/** After this time, in milliseconds, without a connection the next address is tried, IPv4 and IPv6 in turn. */
const trying = { autoSelectFamilyAttemptTimeout: 1_000 };
const headBytesMax = 16 * 1_024;
/** How many interim replies (1xx) are accepted before the final one. */
const interimMax = 8;
/** How many bytes of a body are read, and for how long, so that the server can finish it. */
const bodyBytesMax = 64 * 1_024;
const bodyMs = 1_000;

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why there was no reply; operators and the organization see it. */
export type NoReply =
  | "name not found"
  | "address not allowed"
  | "TLS failed"
  | "connection failed"
  | "reply not valid"
  | "no reply in time"
  | "stopped";

export type PostResult =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly failure: NoReply };

export type Post = (posting: Posting, stopping: AbortSignal) => Promise<PostResult>;

export interface PostOptions {
  readonly allowed: AllowedAddresses;
  readonly resolve: ResolveName;
  /** The certificates to trust instead of those of the system. */
  readonly ca?: string;
  readonly attemptMs?: number;
}

export function makePost({
  allowed,
  resolve,
  ca,
  attemptMs: limitMs = attemptMs,
}: PostOptions): Post {
  return async ({ url: text, headers, body }, stopping) => {
    const url = new URL(text);
    const late = AbortSignal.timeout(limitMs);
    const ended = AbortSignal.any([late, stopping]);
    const why = (): PostResult => ({ failure: stopping.aborted ? "stopped" : "no reply in time" });
    const addresses = await untilAborted(addressesOf(url, resolve), ended);
    if (addresses === undefined) return why();
    const isPlain = url.protocol === "http:";
    const usable = addresses.filter(isPlain ? allowed.allowsPlain : allowed.allows);
    if (usable.length === 0) {
      return { failure: addresses.length === 0 ? "name not found" : "address not allowed" };
    }
    const options: RequestOptions = {
      method: "POST",
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      agent: false,
      lookup: always(usable),
      ...trying,
      maxHeaderSize: headBytesMax,
      signal: ended,
    };
    const request = isPlain
      ? http.request(url, options)
      : https.request(url, { ...options, ...(ca === undefined ? {} : { ca }) });
    return send(request, { body, allowed, why });
  };
}

/**
 * The connection is made to one of the addresses that were checked, the first that answers, even if the name changes
 * meanwhile. Answers later, as the DNS does: otherwise a connection can fail before the request listens to its errors,
 * and ends the process.
 */
function always(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, _options, callback) => void setImmediate(() => callback(null, all));
}

async function addressesOf({ hostname }: URL, resolve: ResolveName): Promise<readonly string[]> {
  const literal = withoutBrackets(hostname);
  if (isIP(literal) !== 0) return [literal];
  return resolve(hostname);
}

/** Undefined if the signal is aborted first. */
async function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const end = (): void => aborted.resolve(undefined);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

interface Sending {
  readonly body: string;
  readonly allowed: AllowedAddresses;
  readonly why: () => PostResult;
}

function send(request: ClientRequest, { body, allowed, why }: Sending): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>();
  const end = (result: PostResult): void => {
    resolve(result);
    request.destroy();
  };
  let interim = 0;
  let isConnected = false;
  let answered: PostResult | undefined;
  request.on("socket", (socket) => {
    socket.once("connect", () => {
      isConnected = true;
      const { remoteAddress } = socket;
      // The receiver may have closed the connection already.
      if (remoteAddress === undefined) end({ failure: "connection failed" });
      else if (!allowed.allows(remoteAddress)) end({ failure: "address not allowed" });
    });
  });
  request.on("information", () => {
    interim += 1;
    if (interim > interimMax) end({ failure: "reply not valid" });
  });
  request.on("upgrade", (_reply, socket) => {
    socket.destroy();
    end({ failure: "reply not valid" });
  });
  request.on("response", (reply) => {
    const { statusCode: status = 0, headers } = reply;
    const result = { status, retryAfter: headers["retry-after"] };
    answered = result;
    readBody(reply, () => end(result));
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    const failed = error.name === "AbortError" ? why() : { failure: failureOf(error, isConnected) };
    end(answered ?? failed);
  });
  request.on("close", () => end(answered ?? { failure: "connection failed" }));
  request.end(body);
  return promise;
}

/** Calls `done` at the end of the body, or when enough of it was read. */
function readBody(reply: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const finish = (): void => {
    clearTimeout(timer);
    done();
  };
  const timer = setTimeout(finish, bodyMs);
  reply.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) finish();
  });
  reply.on("error", finish);
  reply.on("close", finish);
}

function failureOf({ code = "" }: NodeJS.ErrnoException, isConnected: boolean): NoReply {
  if (code.startsWith("HPE_")) return "reply not valid";
  const isTls = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_|DEPTH_|SELF_|HOSTNAME_)/.test(code);
  if (isTls && isConnected) return "TLS failed";
  return "connection failed";
}

const timeoutMs = 2_000;
const tries = 2;
const addressesMax = 16;

/** Resolves to the addresses of a host name; empty if it has none. */
type ResolveName = (name: string) => Promise<readonly string[]>;

/**
 * Asks the DNS directly: `getaddrinfo` would occupy threads that the whole process shares, for as long as a slow name
 * server takes. `servers`: for tests; otherwise the system's servers are used.
 */
export function makeResolver(servers?: readonly string[]): ResolveName {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found
      .flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
      .slice(0, addressesMax);
  };
}
