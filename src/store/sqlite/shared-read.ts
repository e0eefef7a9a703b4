// One read transaction for all reads of a tick of the event loop: taking its lock and giving it back costs more than a
// look-up by key. Nothing is read from it that was written after an answer: it ends before any write is answered, and at
// the end of the turn anyway.

import type { Connection } from "./connection.ts";

export class SharedRead {
  readonly #connection: Connection;
  #open = false;
  /** How many pieces of work are under way that wait for readers. */
  #avoided = 0;
  readonly #end = () => this.end();

  /** The connection must be one that only reads, and nobody else may begin a transaction on it. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** To be called before a read that may share. */
  share(): void {
    if (this.#open || this.#avoided > 0) return;
    this.#connection.run("BEGIN");
    this.#open = true;
    setImmediate(this.#end);
  }

  /** What is read from now on is as of now. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#connection.run("COMMIT");
  }

  /** Meanwhile each read stands alone, and is over when it returns. */
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
