// Vacuums the dead rows that erasures leave: no statement can read them, but they stay in the pages until then. Runs
// only for a small share of the time and not after each erasure, because vacuuming a large store takes long.

import { escapeIdentifier } from "pg";
import type { StoreParts } from "../../sql/store-parts.ts";
import type { Database } from "../database.ts";

const idColumn = "organization_id";

/**
 * The tables with rows or values that are erased with records; vacuuming a table includes its indexes and long values.
 * The table of deletions is included because a deletion names the held record that it waits for, and that of holds
 * because a hold names its record until the release.
 */
export function erasedTables(parts: StoreParts): readonly string[] {
  const added = parts.list.flatMap(({ tables }) => tables);
  return [
    ..."record change relation deletion_target pseudonym idempotent_reply deletion hold".split(" "),
    ..."restricted_reference party_block".split(" "),
    ...added.filter((table) => parts.isAboutRecords(table, idColumn)),
  ];
}

const vacuum = `VACUUM (INDEX_CLEANUP ON, TRUNCATE ON)`;

/** Vacuum takes at most a twentieth of the time. */
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

  /** Call when a deletion is completed. */
  erased(): void {
    this.#needed = true;
  }

  /** Unless nothing was erased since the last run, or it was too recent. Throws the error of the last run. */
  start(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (!this.#needed || this.#running !== undefined || performance.now() < this.#notBefore) return;
    this.#needed = false;
    this.#running = this.#run();
  }

  /** Cancels a vacuum in progress. */
  async stop(): Promise<void> {
    if (this.#running === undefined) return;
    await this.#database.cancelOutside();
    await this.#running;
  }

  async #run(): Promise<void> {
    const startedAt = performance.now();
    try {
      // Outside a transaction the search path of the session applies, which may differ.
      const place =
        this.#database.schema === undefined ? "" : `${escapeIdentifier(this.#database.schema)}.`;
      const tables = erasedTables(this.#database.parts).map((name) => place + name);
      await this.#database.outsideTransaction(`${vacuum} ${tables.join(", ")}`);
    } catch (error) {
      this.#needed = true;
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    const endedAt = performance.now();
    this.#notBefore = endedAt + (endedAt - startedAt) * restFactor;
    this.#running = undefined;
  }
}
