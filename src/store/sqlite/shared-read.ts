// One read transaction for all reads in one event-loop tick: acquiring and releasing its lock costs more than a lookup
// by key. No read returns old data after a write was answered: the transaction ends before any write is answered, and
// at the end of the tick at the latest.

import type { Connection } from "./connection.ts";

export class SharedRead {
  readonly #connection: Connection;
  #open = false;
  /** How many calls of `avoid` are in progress. */
  #avoided = 0;
  readonly #end = () => this.end();

  /** The connection must be read-only, and nobody else may begin a transaction on it. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Call before a read that may share the transaction. */
  share(): void {
    if (this.#open || this.#avoided > 0) return;
    this.#connection.run("BEGIN");
    this.#open = true;
    setImmediate(this.#end);
  }

  /** Later reads see everything that is committed by now. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#connection.run("COMMIT");
    } catch {
      // The disk fails. Nobody waits for this call; the next read fails too, and reports the error.
      if (this.#connection.inTransaction) this.#connection.run("ROLLBACK");
    }
  }

  /** While `work` runs, each read is a separate transaction, which ends when it returns. */
  async avoid<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#avoided += 1;
    this.end();
    try {
      return await work();
    } finally {
      this.#avoided -= 1;
    }
  }
}
