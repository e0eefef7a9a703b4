// Readers of the feed of changes that follow it all the time, half of them by server-sent events and half by long
// polls. They keep no event.

import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "../abuse/abuse.ts";
import { waitFor } from "../support/wait-for.ts";

const followersCount = 10;
/** So many records that follow one another have been seen by most before one counts as behind. */
const roundsMax = 50;

export class Followers {
  readonly #all: readonly Follower[];

  constructor(target: Target) {
    this.#all = Array.from(
      { length: followersCount },
      (_, index) => new Follower(target, index % 2 === 0 ? "sse" : "long-poll"),
    );
  }

  get events(): number {
    return this.#all.reduce((sum, { events }) => sum + events, 0);
  }

  async stop(count = followersCount): Promise<void> {
    await Promise.all(this.#all.slice(0, count).map((one) => one.stop()));
  }

  /** Stops all; those are found that have failed, or have not come to the end of the feed. `add` adds a record. */
  async end(add: (id: string) => Promise<unknown>): Promise<readonly string[]> {
    const behind = await this.#findBehind(add);
    await this.stop();
    return [
      ...behind.map(({ live }) => `a follower (${live}) is not at the end of the feed`),
      ...this.#all.flatMap(({ findings }) => findings),
    ];
  }

  /** No time limit: what a follower lacks was seen by most others, and many records after it, too. */
  async #findBehind(add: (id: string) => Promise<unknown>): Promise<readonly Follower[]> {
    const lacking = (id: string) => this.#all.filter(({ subject }) => subject < id);
    const first = roundId(0);
    for (let round = 0; round < roundsMax; round += 1) {
      const id = roundId(round);
      await add(id);
      const isSeenByMost = () => lacking(id).length < followersCount / 2;
      await waitFor(`${id} to be seen by most followers`, isSeenByMost, { timeoutMs: 600_000 });
      if (lacking(first).length === 0) return [];
    }
    return lacking(first);
  }
}

const markPrefix = "the-end-";

function roundId(round: number): string {
  return `${markPrefix}${String(round).padStart(3, "0")}`;
}

class Follower {
  readonly findings: string[] = [];
  readonly live: "sse" | "long-poll";
  /** The last record of a round that was in the feed. */
  subject = "";
  events = 0;
  readonly #target: Target;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #offset = "-1";

  constructor(target: Target, live: "sse" | "long-poll") {
    this.#target = target;
    this.live = live;
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.findings.push(`a follower (${this.live}): ${String(error)}`);
        return;
      }
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { address, token } = this.#target;
    const query = new URLSearchParams({ offset: this.#offset, live: this.live });
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${address}/v2/changes?${query.toString()}`, { headers, signal });
    // A server under pressure, or an organization with too many requests: it says when to come again.
    if (reply.status === 429 || reply.status === 503) {
      await reply.arrayBuffer();
      await sleep(Number(reply.headers.get("retry-after") ?? 1) * 1_000, undefined, { signal });
      return;
    }
    if (reply.status !== 200 && reply.status !== 204) {
      throw new Error(`${reply.status} ${await reply.text()}`);
    }
    if (this.live === "sse") return this.#readStream(reply);
    this.#take(await reply.text());
    this.#offset = reply.headers.get("stream-next-offset") ?? this.#offset;
  }

  async #readStream({ body }: Response): Promise<void> {
    let rest = "";
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = `${rest}${chunk}`.split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        this.#take(part);
        this.#offset = /"streamNextOffset":"([^"]+)"/.exec(part)?.[1] ?? this.#offset;
      }
    }
  }

  #take(text: string): void {
    this.events += text.split('"specversion"').length - 1;
    const at = text.lastIndexOf(markPrefix);
    if (at >= 0) this.subject = text.slice(at, text.indexOf('"', at));
  }
}
