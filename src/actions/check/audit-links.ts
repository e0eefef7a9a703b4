// Hashes of audit entries by their numbers, for whoever asks in ascending order: a page of the trail is read once.

import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";

export class AuditLinks {
  readonly #app: App;
  #hashes: ReadonlyMap<number, string> = new Map();

  constructor(app: App) {
    this.#app = app;
  }

  /** Undefined if there is no entry with this number. */
  async hashOf(no: number): Promise<string | undefined> {
    if (!this.#hashes.has(no)) {
      const page = await this.#app.store.listAudit(no - 1, limits.ledgerEntriesAtOnce);
      this.#hashes = new Map(page.map(({ entryNo, hash }) => [entryNo, hash]));
    }
    return this.#hashes.get(no);
  }
}
