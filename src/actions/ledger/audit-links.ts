// Finds which signed heads of a ledger are links of a store's chains: a store that lacks one was rolled back to an
// earlier state. Reads the trail page by page.

import { beforeFirst, type ChainHead } from "../../domain/deletion/ledger-entry.ts";
import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";

/** Finds hashes of audit entries by number. If numbers ascend, each page of the trail is read once. */
export class AuditLinks {
  readonly #app: App;
  #hashes: ReadonlyMap<number, string> = new Map();

  constructor(app: App) {
    this.#app = app;
  }

  async hashOf(no: number): Promise<string | undefined> {
    if (!this.#hashes.has(no)) {
      const page = await this.#app.store.listAudit(no - 1, limits.ledgerEntriesAtOnce);
      this.#hashes = new Map(page.map(({ entryNo, hash }) => [entryNo, hash]));
    }
    return this.#hashes.get(no);
  }
}

/** The last link that was signed in the ledger and is in the trail; number 0 for none. */
export async function findShared(app: App): Promise<ChainHead> {
  const links = new AuditLinks(app);
  let shared = beforeFirst;
  for await (const { entries } of app.ledger.readParts()) {
    for (const entry of entries) {
      if (entry.kind !== "heads") continue;
      const { audit } = entry;
      if (audit.no > 0 && (await links.hashOf(audit.no)) === audit.hash) shared = audit;
    }
  }
  return shared;
}
