// A serving process uses no earlier state of the store, and no replica that lags: it compares each new connection with
// its ledger before the connection is used. Threads that write beside it ask it for what the ledger has, and make new
// connections when it does.

import { once } from "node:events";
import { MessageChannel, type MessagePort } from "node:worker_threads";
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

/** The threads that write beside this one. */
export class OtherThreads {
  readonly #mustHave: ReadMustHave;
  readonly #ports = new Set<MessagePort>();

  constructor(mustHave: ReadMustHave) {
    this.#mustHave = mustHave;
  }

  /** Returns what a thread passes to `followLedger`. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.on("message", (reply: MessagePort) => void this.#answer(reply));
    port1.on("close", () => this.#ports.delete(port1));
    port1.unref();
    this.#ports.add(port1);
    return port2;
  }

  renewConnections(): void {
    for (const port of this.#ports) port.postMessage("renew");
  }

  async #answer(reply: MessagePort): Promise<void> {
    reply.postMessage(await this.#mustHave().catch(() => undefined));
  }
}

/** In the other thread. */
export function followLedger(database: Database, port: MessagePort): void {
  database.requireContinued = makeCheck(async () => {
    const { port1, port2 } = new MessageChannel();
    port.postMessage(port2, [port2]);
    const [found] = (await once(port1, "message")) as [MustHave | undefined];
    port1.close();
    if (found === undefined) throw new Error("the ledger could not be read");
    return found;
  });
  port.on("message", () => database.renewConnections());
  port.unref();
}
