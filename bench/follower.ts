// A follower of the feed of changes over HTTP, by server-sent events or by long polls, that costs hardly anything: it
// counts the events that it reads and keeps the next offset. Rejects nothing: a failure ends the benchmark.

import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export type Live = "sse" | "long-poll" | undefined;

export interface Follower {
  /** How many events it has received. */
  events(): number;
  stop(): void;
}

export interface FollowOrder {
  readonly port: number;
  readonly token: string;
  readonly live: Live;
  /** -1 or now. */
  readonly offset: string;
  /** Called with the text of each part, when it has arrived. */
  readonly onPart?: (text: string) => void;
  readonly onFailure: (why: string) => void;
}

/** Resolves when it follows. Without `live` it ends by itself at the end of the feed. */
export async function startFollower(
  order: FollowOrder,
): Promise<Follower & { ended: Promise<void> }> {
  const following = new Following(order);
  const ended = following.run();
  await following.began;
  return { events: () => following.events, stop: () => following.stop(), ended };
}

class Following {
  readonly #order: FollowOrder;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #begun = Promise.withResolvers<void>();
  readonly began = this.#begun.promise;
  #offset: string;
  #stopped = false;
  events = 0;

  constructor(order: FollowOrder) {
    this.#order = order;
    this.#offset = order.offset;
  }

  async run(): Promise<void> {
    const { live, onFailure } = this.#order;
    try {
      // Before the first event, the reply to a long poll after `now` does not say where it began.
      if (this.#offset === "now") await this.#read(undefined);
      while (!this.#stopped) {
        const isUpToDate = await this.#read(live);
        if (isUpToDate && live === undefined) break;
      }
    } catch (error) {
      if (!this.#stopped) onFailure(`a follower: ${String(error)}`);
    }
    this.#begun.resolve();
    this.#agent.destroy();
  }

  stop(): void {
    this.#stopped = true;
    this.#agent.destroy();
  }

  /** True if the reply says that it reaches the end. */
  async #read(live: Live): Promise<boolean> {
    const reply = await this.#open(live);
    const { statusCode = 0, headers } = reply;
    // A server under pressure, or an organization with too many requests: it says when to come again.
    if (statusCode === 429 || statusCode === 503) {
      reply.resume();
      await sleep(Number(headers["retry-after"] ?? 1) * 1_000);
      return false;
    }
    if (statusCode !== 200 && statusCode !== 204) throw new Error(`status ${statusCode}`);
    const parts: string[] = [];
    reply.setEncoding("utf8");
    for await (const chunk of reply as AsyncIterable<string>) {
      if (live === "sse") this.#takeParts(parts, chunk);
      else parts.push(chunk);
    }
    if (live !== "sse") {
      this.#take(parts.join(""));
      this.#offset = String(headers["stream-next-offset"]);
      this.#begun.resolve();
    }
    return headers["stream-up-to-date"] === "true";
  }

  /** `rest`: what has arrived of a part. */
  #takeParts(rest: string[], chunk: string): void {
    rest.push(chunk);
    if (!chunk.includes("\n\n")) return;
    const text = rest.splice(0).join("");
    const end = text.lastIndexOf("\n\n");
    if (end + 2 < text.length) rest.push(text.slice(end + 2));
    this.#take(text.slice(0, end));
    const at = text.lastIndexOf('"streamNextOffset":"', end);
    if (at >= 0) this.#offset = /^[^"]+/.exec(text.slice(at + 20, end))?.[0] ?? this.#offset;
    this.#begun.resolve();
  }

  #take(text: string): void {
    for (
      let at = text.indexOf('"specversion"');
      at >= 0;
      at = text.indexOf('"specversion"', at + 1)
    ) {
      this.events += 1;
    }
    this.#order.onPart?.(text);
  }

  #open(live: Live): Promise<IncomingMessage> {
    const { port, token } = this.#order;
    const query = new URLSearchParams({ offset: this.#offset, ...(live && { live }) });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { authorization: `Bearer ${token}` };
    const path = `/v2/changes?${query.toString()}`;
    get({ host: "127.0.0.1", port, path, headers, agent: this.#agent }, resolve).on(
      "error",
      reject,
    );
    return promise;
  }
}
