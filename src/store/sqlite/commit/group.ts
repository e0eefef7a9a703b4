// What the writes of one transaction share: the connection, the next arrival numbers, and whether any deletion is open.
// Lives as long as the transaction.

import type { Connection } from "../connection.ts";

const readArrival = `SELECT value FROM counter WHERE name = 'arrival'`;
const writeArrival = `UPDATE counter SET value = ? WHERE name = 'arrival'`;
const findAnyOpen = `
  SELECT 1 FROM deletion INDEXED BY deletion_due WHERE status IN ('pending', 'processing') LIMIT 1`;

export class Group {
  readonly connection: Connection;
  #arrival: number | undefined;
  #anyDeletionOpen: boolean | undefined;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  nextArrivalNo(): number {
    return this.takeArrivalNos(1);
  }

  /**
   * Returns the first of `count` consecutive numbers. They are read once and written back once in a group; the numbers
   * of a write that is rolled back stay unused.
   */
  takeArrivalNos(count: number): number {
    this.#arrival ??= this.connection.get<{ value: number }>(readArrival)?.value ?? 0;
    const first = this.#arrival + 1;
    this.#arrival += count;
    return first;
  }

  /** One cheap query for a group nearly always saves every write a query of the deletions. */
  anyDeletionOpen(): boolean {
    this.#anyDeletionOpen ??= this.connection.get(findAnyOpen) !== undefined;
    return this.#anyDeletionOpen;
  }

  /** Call after anything that may open or end a deletion. */
  deletionsChanged(): void {
    this.#anyDeletionOpen = undefined;
  }

  /** Call directly before the commit. */
  finish(): void {
    if (this.#arrival !== undefined) this.connection.run(writeArrival, this.#arrival);
  }
}
