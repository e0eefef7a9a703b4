// Takes what erasures leave as dead rows away: not readable any more by any statement, but in the pages until they are
// vacuumed. Not at once after each one, and never for more than a small part of the time, since a large store takes long.

import type { Database } from "../database.ts";

/**
 * Everything of which rows or values go with records; each takes its own indexes and long values along. A deletion says for
 * which held record it waits as long as it does, and a hold names its record until the release.
 */
export const erasedTables =
  "record change relation deletion_target idempotent_reply deletion hold".split(" ");

const vacuum = `VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) ${erasedTables.join(", ")}`;

/** At most one part in twenty of the time. */
const restFactor = 20;

export class ErasureVacuum {
  readonly #database: Database;
  #needed = false;
  #notBefore = 0;
  #running: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** To be called when a deletion is completed. */
  erased(): void {
    this.#needed = true;
  }

  /**
   * Starts in the background, unless nothing was erased since the last time or that is too short ago. Throws what the last
   * one failed with.
   */
  start(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (!this.#needed || this.#running !== undefined || performance.now() < this.#notBefore) return;
    this.#needed = false;
    this.#running = this.#run();
  }

  /** Breaks off what is under way. */
  async stop(): Promise<void> {
    if (this.#running === undefined) return;
    await this.#database.cancelOutside();
    await this.#running;
  }

  async #run(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.#database.outsideTransaction(vacuum);
    } catch (error) {
      this.#needed = true;
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    const endedAt = performance.now();
    this.#notBefore = endedAt + (endedAt - startedAt) * restFactor;
    this.#running = undefined;
  }
}
