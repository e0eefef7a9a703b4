// The consumers of a store, each a process with a file of its own; any of them is killed and started again.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Random } from "../support/random.ts";
import { waitFor } from "../support/wait-for.ts";
import { type FeedEvent } from "./compare.ts";
import { type ConsumerOrder, type Kind, kinds } from "./consumer.ts";

const program = join(import.meta.dirname, "consumer.ts");

interface Running {
  readonly order: ConsumerOrder;
  child: ChildProcess;
}

export interface StoredPage {
  readonly offset: string;
  /** The number of the last event that it has delivered. */
  readonly last: number;
}

export class Consumers {
  readonly #running: Running[];
  readonly #addressesPath: string;
  readonly #findings: string[];

  /** `findings`: where it is reported that one ended by itself. */
  constructor(
    folder: string,
    followed: ConsumerOrder["followed"],
    { addresses, findings }: { addresses: readonly string[]; findings: string[] },
  ) {
    this.#findings = findings;
    this.#addressesPath = join(folder, "addresses.json");
    this.moveTo(addresses);
    this.#running = kinds.map((kind) => {
      const path = join(folder, `${kind}.db`);
      const order = { kind, path, addressesPath: this.#addressesPath, followed };
      return { order, child: this.#start(order) };
    });
  }

  /** Where the servers are from now on. */
  moveTo(addresses: readonly string[]): void {
    writeFileSync(`${this.#addressesPath}.new`, JSON.stringify(addresses));
    renameSync(`${this.#addressesPath}.new`, this.#addressesPath);
  }

  /** Kills one, and starts it again. */
  async kill(random: Random): Promise<string> {
    const running = random.pick(this.#running);
    await this.#end(running);
    running.child = this.#start(running.order);
    return running.order.kind;
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#running.map((running) => this.#end(running)));
  }

  /** Resolves when each has stored this event as its last one of the organization. */
  async awaitLast(organizationId: string, subject: string): Promise<void> {
    const find = `SELECT subject FROM event WHERE organization_id = ? ORDER BY event_no DESC LIMIT 1`;
    for (const kind of kinds) {
      await waitFor(
        `${kind} to come to the end`,
        () => {
          const [problem] = this.problems();
          if (problem !== undefined) throw new Error(problem);
          return this.#read(kind, find, organizationId)[0]?.["subject"] === subject;
        },
        { timeoutMs: 300_000, intervalMs: 100 },
      );
    }
  }

  offset(kind: Kind, organizationId: string): string {
    const find = "SELECT next_offset FROM place WHERE organization_id = ?";
    return String(this.#read(kind, find, organizationId)[0]?.["next_offset"]);
  }

  /** What it has stored, in this order, with the numbers of the events. */
  delivered(kind: Kind, organizationId: string): readonly (FeedEvent & { eventNo: number })[] {
    const find = `SELECT event_no, id, type, subject, data FROM event WHERE organization_id = ? ORDER BY event_no`;
    return this.#read(kind, find, organizationId).map(({ event_no, id, type, subject, data }) => ({
      eventNo: Number(event_no),
      id: String(id),
      type: String(type),
      subject: String(subject),
      ...(typeof data === "string" ? { data: JSON.parse(data) as unknown } : {}),
    }));
  }

  pages(kind: Kind, organizationId: string): readonly StoredPage[] {
    const find = "SELECT next_offset, last_no FROM page WHERE organization_id = ? ORDER BY page_no";
    return this.#read(kind, find, organizationId).map((page) => ({
      offset: String(page["next_offset"]),
      last: Number(page["last_no"]),
    }));
  }

  problems(): readonly string[] {
    return kinds.flatMap((kind) =>
      this.#read(kind, "SELECT description FROM problem").map(
        ({ description }) => `${kind}: ${String(description)}`,
      ),
    );
  }

  #read(kind: Kind, sql: string, ...values: readonly string[]) {
    const path = this.#running.find(({ order }) => order.kind === kind)?.order.path ?? "";
    const database = new DatabaseSync(path, { timeout: 30_000 });
    try {
      return database.prepare(sql).all(...values);
    } finally {
      database.close();
    }
  }

  #start(order: ConsumerOrder): ChildProcess {
    const stdio = ["pipe", "ignore", "pipe"] as const;
    const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: [...stdio] });
    let said = "";
    child.stderr?.on(
      "data",
      (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)),
    );
    child.once("close", (_code, signal) => {
      if (signal !== "SIGKILL") this.#findings.push(`${order.kind} ended by itself: ${said}`);
    });
    return child;
  }

  async #end({ child }: Running): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  }
}
