// Posts exports to an OTLP receiver over HTTP (OTLP specification, "OTLP/HTTP"). Each export is bounded in time, with its
// retries; its failure is reported without headers and without the path of the URL, which may contain credentials.

import {
  Agent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { backOffMs } from "../../domain/back-off.ts";
import type { ExportTarget } from "../telemetry-options.ts";
import { encode, type Fields, type Message } from "./protobuf.ts";

export interface OtlpClientOptions extends ExportTarget {
  readonly fields: Fields;
  readonly userAgent: string;
  /** `reason`: a status, the code of an error, or `timeout`. */
  readonly onFailure: (reason: string) => void;
}

interface Reply {
  readonly status: number;
  /** 0 if the receiver does not say. */
  readonly retryAfterMs: number;
}

interface Attempt {
  /** Undefined if it succeeded. */
  readonly failure: string | undefined;
  /** Undefined if another attempt makes no sense. */
  readonly retryAfterMs: number | undefined;
}

/** The receiver may accept the same export later. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const firstDelayMs = 500;
const delayMsMax = 5_000;

export class OtlpClient {
  readonly #options: OtlpClientOptions;
  readonly #agent: Agent;
  /** Aborted when the last export must end. */
  readonly #ended = new AbortController();
  /** Aborted when the process stops: an export that fails is then not repeated. */
  readonly #closing = new AbortController();

  constructor(options: OtlpClientOptions) {
    this.#options = options;
    const settings = { keepAlive: true, maxSockets: 1 };
    this.#agent = options.url.protocol === "https:" ? new TlsAgent(settings) : new Agent(settings);
  }

  /** False if the receiver did not accept it in time. */
  async send(message: Message): Promise<boolean> {
    const { onFailure, timeoutMs } = this.#options;
    if (this.#ended.signal.aborted) return false;
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(timeoutMs)]);
    const failure = await this.#sendUntil(signal, await this.#encode(message));
    if (failure !== undefined) onFailure(failure);
    return failure === undefined;
  }

  /** From now on nothing is repeated, and everything ends within the timeout of one export. Returns the end. */
  close(): Disposable {
    this.#closing.abort();
    const timer = setTimeout(() => this.#ended.abort(), this.#options.timeoutMs);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        this.#ended.abort();
        this.#agent.destroy();
      },
    };
  }

  async #encode(message: Message): Promise<Buffer> {
    const { fields, protocol, compression } = this.#options;
    const plain =
      protocol === "http/json" ? Buffer.from(JSON.stringify(message)) : encode(fields, message);
    return compression === "gzip" ? await promisify(gzip)(plain) : plain;
  }

  /** Undefined when it is accepted; otherwise why it was not, after as many attempts as the time allows. */
  async #sendUntil(signal: AbortSignal, body: Buffer): Promise<string | undefined> {
    const endMs = performance.now() + this.#options.timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const { failure, retryAfterMs } = await this.#attempt(signal, body);
      if (failure === undefined || retryAfterMs === undefined) return failure;
      const backOff = backOffMs(attempt, firstDelayMs, delayMsMax) * (0.5 + Math.random() / 2);
      const waitMs = Math.max(retryAfterMs, backOff);
      if (performance.now() + waitMs > endMs) return failure;
      const stopped = AbortSignal.any([signal, this.#closing.signal]);
      await sleep(waitMs, undefined, { signal: stopped }).catch(() => undefined);
      if (stopped.aborted) return failure;
    }
  }

  async #attempt(signal: AbortSignal, body: Buffer): Promise<Attempt> {
    try {
      const { status, retryAfterMs } = await this.#post(signal, body);
      if (status >= 200 && status < 300) return { failure: undefined, retryAfterMs: undefined };
      const again = retryable.has(status) ? retryAfterMs : undefined;
      return { failure: `status ${status}`, retryAfterMs: again };
    } catch (error) {
      const isOver = signal.aborted || this.#closing.signal.aborted;
      return { failure: describe(error, signal), retryAfterMs: isOver ? undefined : 0 };
    }
  }

  #post(signal: AbortSignal, body: Buffer): Promise<Reply> {
    const { url, headers, protocol, compression, userAgent } = this.#options;
    const options: RequestOptions = {
      method: "POST",
      agent: this.#agent,
      signal,
      headers: {
        "user-agent": userAgent,
        ...headers,
        "content-type": protocol === "http/json" ? "application/json" : "application/x-protobuf",
        "content-length": body.length,
        ...(compression === "gzip" ? { "content-encoding": "gzip" } : {}),
      },
    };
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = request(url, options, (response) => resolve(readReply(response)));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

const replyBytesMax = 64 * 1_024;

/** Reads and discards the body, so that the connection can be used again; the signal of the request ends a long one. */
function readReply(response: IncomingMessage): Promise<Reply> {
  const seconds = Number(response.headers["retry-after"]);
  const status = response.statusCode ?? 0;
  const retryAfterMs = seconds > 0 ? seconds * 1_000 : 0;
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > replyBytesMax) response.destroy();
  });
  return new Promise((resolve) => {
    response.on("error", () => undefined);
    response.on("close", () => resolve({ status, retryAfterMs }));
  });
}

/** Never the message of an error, which may contain the address. */
function describe(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "timeout";
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "error";
}
