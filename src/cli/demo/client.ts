// A client of the service as anybody could write it: HTTP and JSON, and waiting as long as a 429 asks for.

import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../../actions/operator-error.ts";
import type { Meter } from "./meter.ts";

export interface Reply {
  /** Such as `POST /v2/transaction`, for messages. */
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** How often one request may be turned away before something is wrong with the limit itself. */
const attemptsMax = 100;

export class Client {
  readonly #address: string;
  readonly #meter: Meter;
  readonly #stopping: AbortSignal;
  #authorization: string | undefined;

  constructor(address: string, { meter, stopping }: { meter: Meter; stopping: AbortSignal }) {
    this.#address = address;
    this.#meter = meter;
    this.#stopping = stopping;
  }

  /** The value of the header Authorization from now on. */
  authorize(value: string): void {
    this.#authorization = value;
  }

  /** Any reply but 429 is an answer; throws OperatorError when there is none. */
  async send(method: Method, path: string, body?: unknown): Promise<Reply> {
    const request = `${method} ${path}`;
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const before = performance.now();
      const response = await this.#fetch(method, path, body);
      const text = await response.text();
      if (response.status !== 429) {
        this.#meter.countRequest(performance.now() - before);
        return { request, status: response.status, body: parse(text, request) };
      }
      this.#meter.countWait();
      await sleep(retryAfterMs(response, request), undefined, { signal: this.#stopping });
    }
    throw new OperatorError(
      "server",
      `${request} was answered with 429 ${attemptsMax} times, each after waiting.`,
    );
  }

  async #fetch(method: Method, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(this.#address + path, {
        method,
        signal: this.#stopping,
        headers: {
          ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      this.#stopping.throwIfAborted();
      throw new OperatorError("server", `${method} ${path} got no answer from ${this.#address}.`, {
        cause,
      });
    }
  }
}

function parse(text: string, request: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OperatorError("server", `${request} was answered with something that is not JSON.`);
  }
}

function retryAfterMs(response: Response, request: string): number {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  if (seconds >= 0 && seconds <= 3_600) return seconds * 1_000;
  throw new OperatorError(
    "server",
    `${request} was answered with 429 but without a Retry-After in seconds.`,
  );
}
