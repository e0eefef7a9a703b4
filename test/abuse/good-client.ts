// A client that does nothing wrong: sends at a steady rate whatever the server does, measures from
// the moment at which a request was due, and finally checks that everything acknowledged is stored.

import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type Ask, type Client, type Reply, sendWithinLimit } from "../support/http-client.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { listOf, transaction } from "./records.ts";

export const requestKinds = ["add", "check", "update", "list"] as const;
export type RequestKind = (typeof requestKinds)[number];

export interface KindFigures {
  readonly count: number;
  /** NaN without requests. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface PhaseReport {
  readonly all: KindFigures;
  readonly kinds: Readonly<Record<RequestKind, KindFigures>>;
  /** What a commit and a reply take at least: a byte reaches the disk, then the server answers without its store. */
  readonly bare: KindFigures;
  /** Requests without a reply after `timeoutMs`; they count with that time. */
  readonly timeouts: number;
  /** Every reply that was not a success, and every connection that broke. */
  readonly failures: readonly string[];
}

type Kind = RequestKind | "bare";

interface Phase {
  readonly latencies: Record<Kind, number[]>;
  readonly open: Set<Promise<void>>;
  readonly failures: string[];
  timeouts: number;
}

/** Per second; requests of each kind are evenly spaced. */
const perSecond = { add: 20, check: 12, update: 6, list: 2, bare: 10 };
const kinds = [...requestKinds, "bare"] as const;
const timeoutMs = 5_000;
const listItems = 100;
const tickMs = 2;
const failuresKept = 20;

export class GoodClient {
  readonly #client: Client;
  readonly #token: string;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #due: Record<Kind, number> = { add: 0, check: 0, update: 0, list: 0, bare: 0 };
  readonly #file = openNameless();
  /** Everything that was acknowledged. */
  readonly #ids: string[] = [];
  readonly #lists: string[] = [];
  readonly #sending = new Set<Promise<void>>();
  #phase = newPhase();
  #count = 0;

  constructor(client: Client, token: string) {
    this.#client = client;
    this.#token = token;
    this.#timer = setInterval(() => this.#sendWhatIsDue(), tickMs);
  }

  /** Ends a phase, and reports it when each of its requests is answered or has timed out. */
  async endPhase(): Promise<PhaseReport> {
    const phase = this.#phase;
    this.#phase = newPhase();
    while (phase.open.size > 0) await Promise.all(phase.open);
    return reportOf(phase);
  }

  /** Stops sending; returns what was acknowledged and is missing. */
  async stop(): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }> {
    clearInterval(this.#timer);
    await Promise.all(this.#sending);
    await (await this.#file).close();
    const missing: string[] = [];
    for (const id of this.#ids) {
      const { status } = await sendWithinLimit(this.#client, {
        ...this.#existence(id),
        method: "GET",
      });
      if (status !== 200) missing.push(`${id}: ${status}`);
    }
    for (const id of this.#lists) {
      // A list that is already stored writes nothing.
      const { status, body } = await sendWithinLimit(this.#client, this.#list(id));
      if (status !== 200 && status !== 201) missing.push(`${id}: ${status}`);
      else if (body.write_count !== 0) missing.push(`${id}: ${body.write_count} of ${listItems}`);
    }
    return { acknowledged: this.#ids.length + this.#lists.length * listItems, missing };
  }

  #sendWhatIsDue(): void {
    const now = performance.now() - this.#startedAt;
    for (const kind of kinds) {
      const everyMs = 1_000 / perSecond[kind];
      while (this.#due[kind] <= now) {
        this.#send(kind, this.#startedAt + this.#due[kind]);
        this.#due[kind] += everyMs;
      }
    }
  }

  #send(kind: Kind, dueAt: number): void {
    const phase = this.#phase;
    this.#count += 1;
    const id = `good-${this.#count}`;
    const known = this.#ids.at(-1);
    if (known === undefined && (kind === "check" || kind === "update")) return;
    const replied = this.#ask(kind, { id, known: known ?? "" }).then(
      (reply) => this.#take(kind, { id, reply }),
      (error: unknown) => this.#fail(`${kind}: ${String(error)}`),
    );
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      phase.timeouts += 1;
      resolve();
    }, timeoutMs);
    const measured = Promise.race([replied, over]).finally(() => {
      clearTimeout(timer);
      phase.latencies[kind].push(Math.min(timeoutMs, performance.now() - dueAt));
      phase.open.delete(measured);
    });
    phase.open.add(measured);
    const sent = replied.finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  async #ask(kind: Kind, ids: { id: string; known: string }): Promise<Reply> {
    if (kind !== "bare") return this.#client.send(this.#askOf(kind, ids));
    const file = await this.#file;
    await file.write(".");
    await file.datasync();
    return this.#client.send({ method: "GET", path: "/health/live" });
  }

  #askOf(kind: RequestKind, { id, known }: { id: string; known: string }): Ask {
    if (kind === "list") return this.#list(id);
    if (kind === "check") return { ...this.#existence(known), method: "GET" };
    const token = this.#token;
    const [method, body] =
      kind === "add" ? ["POST", transaction(id)] : ["PUT", transaction(known, this.#count)];
    return { method, path: "/v2/transaction", token, body };
  }

  #take(kind: Kind, { id, reply }: { id: string; reply: Reply }): void {
    const { status, text } = reply;
    if (status >= 300) this.#fail(`${kind}: ${status} ${text.slice(0, 200)}`);
    else if (kind === "add") this.#ids.push(id);
    else if (kind === "list") this.#lists.push(id);
  }

  /**
   * Of the phase in which it shows: the one in which the request was due may already be reported.
   */
  #fail(what: string): void {
    const { failures } = this.#phase;
    if (failures.length < failuresKept) failures.push(what);
  }

  #list(id: string): Ask {
    const body = listOf(listItems, (index) => transaction(`${id}-${index}`));
    return { token: this.#token, method: "POST", path: "/v2/transactions/batch", body };
  }

  #existence(id: string): Pick<Ask, "path" | "token" | "query"> {
    return { token: this.#token, path: "/v2/transaction", query: { tx_id: id } };
  }
}

function newPhase(): Phase {
  const latencies = { add: [], check: [], update: [], list: [], bare: [] };
  return { latencies, open: new Set(), failures: [], timeouts: 0 };
}

function reportOf({ latencies, failures, timeouts }: Phase): PhaseReport {
  const figures = Object.fromEntries(
    requestKinds.map((kind) => [kind, figuresOf(latencies[kind])]),
  ) as PhaseReport["kinds"];
  const all = figuresOf(requestKinds.flatMap((kind) => latencies[kind]));
  return { all, kinds: figures, bare: figuresOf(latencies.bare), timeouts, failures };
}

/** On the disk of the server's store, and gone with this process. */
async function openNameless(): Promise<FileHandle> {
  const folder = makeTempFolder();
  const file = await open(join(folder, "file"), "w");
  removeFolder(folder);
  return file;
}

function figuresOf(latencies: readonly number[]): KindFigures {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
