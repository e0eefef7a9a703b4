// A serving process uses no earlier state of the store, and no replica that lags: it compares each new connection with
// its ledger before the connection is used. Threads that write beside it ask it for what the ledger has, and make new
// connections when it does.

import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Calls } from "../../basics/thread.ts";
import { EarlierState } from "../../domain/error.ts";
import type { MustHave } from "../interface/ledger.ts";
import { continues } from "../sql/restore/known-ledger.ts";
import type { Database } from "./database.ts";
import { ReadOnlyServer } from "./servers.ts";
import type { Transaction } from "./transaction.ts";

type ReadMustHave = () => Promise<MustHave>;

const isReplica = `SELECT pg_is_in_recovery() AS recovering`;

/** The check of a new connection. Throws ReadOnlyServer and EarlierState. */
export function makeCheck(mustHave: ReadMustHave) {
  return async (transaction: Transaction): Promise<void> => {
    const server = await transaction.get<{ recovering: boolean }>(isReplica);
    if (server?.recovering !== false) throw new ReadOnlyServer("the server is a replica");
    if (!(await transaction.perform(continues, await mustHave()))) throw new EarlierState();
  };
}

type Ledger = { readonly mustHave: ReadMustHave };
type Connections = { readonly renew: () => void };

/** The threads that write beside this one. */
export class OtherThreads {
  readonly #mustHave: ReadMustHave;
  readonly #threads = new Set<Calls<Connections>>();

  constructor(mustHave: ReadMustHave) {
    this.#mustHave = mustHave;
  }

  /** Returns what a thread passes to `followLedger`. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const own: Ledger = { mustHave: this.#mustHave };
    const thread = new Calls<Connections>({ start: () => port1, own }).open();
    port1.on("close", () => this.#threads.delete(thread));
    port1.unref();
    this.#threads.add(thread);
    return port2;
  }

  renewConnections(): void {
    for (const thread of this.#threads) thread.tell("renew");
  }
}

/** In the other thread. */
export function followLedger(database: Database, port: MessagePort): void {
  const own: Connections = { renew: () => database.renewConnections() };
  const main = new Calls<Ledger>({ start: () => port, own }).open();
  database.requireContinued = makeCheck(() => main.call("mustHave", []));
  port.unref();
}
