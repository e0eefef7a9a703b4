// A consumer of the feed as a program that can be killed at any moment: stores the events and its offset in one
// transaction of a file of its own, in the order in which they come, however often. Evaluates nothing.

import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { FeedEvent } from "./compare.ts";

export const kinds = ["catch-up", "long-poll", "sse", "recipient"] as const;
export type Kind = (typeof kinds)[number];

export interface ConsumerOrder {
  readonly kind: Kind;
  /** Of its database. */
  readonly path: string;
  /** Of a file with the addresses of the servers, as a list in JSON. */
  readonly addressesPath: string;
  readonly followed: readonly { readonly organizationId: string; readonly token: string }[];
}

/** By this name a consumer of the kind acknowledges what it has stored. */
export const recipientName = "campaign";

type Followed = ConsumerOrder["followed"][number];

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  CREATE TABLE IF NOT EXISTS event (
    event_no INTEGER PRIMARY KEY, organization_id TEXT, id TEXT, type TEXT, subject TEXT, data TEXT);
  CREATE TABLE IF NOT EXISTS page (
    page_no INTEGER PRIMARY KEY, organization_id TEXT, next_offset TEXT, last_no INTEGER);
  CREATE TABLE IF NOT EXISTS place (organization_id TEXT PRIMARY KEY, next_offset TEXT);
  CREATE TABLE IF NOT EXISTS problem (description TEXT)`;

const problemsMax = 20;
const restMs = 30;
const idleMs = 10;

class Consumer {
  readonly #order: ConsumerOrder;
  readonly #database: DatabaseSync;
  #isRefused = false;

  constructor(order: ConsumerOrder) {
    this.#order = order;
    this.#database = new DatabaseSync(order.path, { timeout: 30_000 });
    this.#database.exec(schema);
  }

  async follow(followed: Followed): Promise<never> {
    for (;;) {
      try {
        await this.#read(followed);
      } catch (error) {
        // As fetch says that a server was killed; another one, or the next one, goes on.
        if (!(error instanceof TypeError)) this.#complain(String(error));
        await sleep(restMs);
      }
    }
  }

  async #read(followed: Followed): Promise<void> {
    const { kind } = this.#order;
    const live = this.#live();
    const offset = this.#place(followed) ?? "-1";
    const query = new URLSearchParams({
      offset,
      ...(live && { live }),
      ...(kind === "long-poll" || kind === "sse" ? { include: "content" } : {}),
    });
    const address = this.#address();
    if (kind === "recipient" && offset !== "-1") await acknowledge(address, followed, offset);
    const reply = await fetch(`${address}/v2/changes?${query.toString()}`, {
      headers: { authorization: `Bearer ${followed.token}` },
    });
    if (reply.status !== 200 && reply.status !== 204) {
      const text = await reply.text();
      // A server under pressure accepts no streams; the next request is not for one.
      this.#isRefused = true;
      if (reply.status !== 429 && reply.status < 500) this.#complain(`${reply.status} ${text}`);
      await sleep(restMs);
      return;
    }
    if (live === "sse") return this.#readStream(followed, reply);
    const events = reply.status === 204 ? [] : ((await reply.json()) as readonly FeedEvent[]);
    const next = reply.headers.get("stream-next-offset");
    if (next === null) return this.#complain("a reply without an offset");
    this.#store(followed, events, next);
    if (live === undefined && events.length === 0) await sleep(idleMs);
  }

  async #readStream(followed: Followed, { body }: Response): Promise<void> {
    let [text, events]: [string, readonly FeedEvent[]] = ["", []];
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = `${text}${chunk}`.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        // A comment, which a quiet stream sends.
        if (part.startsWith(":")) continue;
        const [head = "", data = ""] = part.split(/\ndata: ?/);
        if (head === "event: data") events = JSON.parse(data) as readonly FeedEvent[];
        else {
          this.#store(followed, events, (JSON.parse(data) as Control).streamNextOffset);
          events = [];
        }
      }
    }
  }

  #live(): "sse" | "long-poll" | undefined {
    const { kind } = this.#order;
    if (kind === "catch-up" || (kind === "sse" && this.#isRefused)) {
      this.#isRefused = false;
      return undefined;
    }
    return kind === "sse" ? "sse" : "long-poll";
  }

  /** One transaction, whatever kills the process. */
  #store({ organizationId }: Followed, events: readonly FeedEvent[], next: string): void {
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    const add = database.prepare(
      "INSERT INTO event (organization_id, id, type, subject, data) VALUES (?, ?, ?, ?, ?)",
    );
    for (const { id, type, subject, data } of events) {
      const kept = type === "sluice.record.erased" ? JSON.stringify(data) : null;
      add.run(organizationId, id, type, subject, kept);
    }
    if (events.length > 0) {
      const page =
        "INSERT INTO page (organization_id, next_offset, last_no) SELECT ?, ?, max(event_no) FROM event";
      database.prepare(page).run(organizationId, next);
    }
    const place = "INSERT OR REPLACE INTO place (organization_id, next_offset) VALUES (?, ?)";
    database.prepare(place).run(organizationId, next);
    database.exec("COMMIT");
  }

  #place({ organizationId }: Followed): string | undefined {
    const find = "SELECT next_offset FROM place WHERE organization_id = ?";
    return this.#database.prepare(find).get(organizationId)?.["next_offset"]?.toString();
  }

  #complain(description: string): void {
    const add = `INSERT INTO problem SELECT ? WHERE (SELECT count(*) FROM problem) < ${problemsMax}`;
    this.#database.prepare(add).run(description);
  }

  #address(): string {
    const all = JSON.parse(readFileSync(this.#order.addressesPath, "utf8")) as readonly string[];
    return all[Math.floor(Math.random() * all.length)] ?? "";
  }
}

interface Control {
  readonly streamNextOffset: string;
}

async function acknowledge(address: string, { token }: Followed, offset: string): Promise<void> {
  const reply = await fetch(`${address}/v2/recipient_acknowledgement`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: recipientName, offset }),
  });
  await reply.arrayBuffer();
}

if (import.meta.main) {
  const order = JSON.parse(process.argv[2] ?? "{}") as ConsumerOrder;
  // It ends with the campaign, whatever ends that.
  process.stdin.resume().once("end", () => process.exit());
  const consumer = new Consumer(order);
  await Promise.all(order.followed.map((followed) => consumer.follow(followed)));
}
