// Sends messages on a connection, without waiting for the answers to earlier ones, and ends a connection whose server
// no longer answers. Repeats nothing.

import type { Client, QueryConfig, QueryResult } from "pg";
import { answerGraceMs, connectTimeoutMs } from "./settings.ts";

/** For messages that take the server no time, such as BEGIN. */
const ownLimitMs = connectTimeoutMs + answerGraceMs;

/** The server answers in the order of sending, so the time of a message begins when the one before it is answered. */
class Unanswered {
  readonly #client: Client;
  readonly #limitsMs: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  add(limitMs: number): void {
    if (this.#limitsMs.push(limitMs) === 1) this.#start();
  }

  removeFirst(): void {
    clearTimeout(this.#timer);
    this.#limitsMs.shift();
    this.#start();
  }

  #start(): void {
    const [limitMs] = this.#limitsMs;
    if (limitMs !== undefined) this.#timer = setTimeout(this.#end, limitMs, limitMs);
  }

  /** Everything that was sent fails with it. A plain error is taken for a lost connection (failure.ts). */
  readonly #end = (limitMs: number): void => {
    const error = new Error(`the database has not answered for ${limitMs} ms`);
    this.#client.connection.stream.destroy(error);
  };
}

const unanswered = new WeakMap<Client, Unanswered>();

/** `limitMs`: how long the server may take for this message, without those that were sent before it. */
export async function send(
  client: Client,
  message: string | QueryConfig,
  limitMs = ownLimitMs,
): Promise<QueryResult> {
  let sent = unanswered.get(client);
  if (sent === undefined) unanswered.set(client, (sent = new Unanswered(client)));
  sent.add(limitMs);
  try {
    return await client.query(message);
  } finally {
    sent.removeFirst();
  }
}
