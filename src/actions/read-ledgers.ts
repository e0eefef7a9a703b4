// What ledgers know that a store may lack: deletions, holds, and how far its chains had come. Goes through them in bounded
// memory but for holds, which are few. Changes nothing.

import type { Hold } from "../domain/access.ts";
import { limits } from "../domain/limits.ts";
import type { ChainHead, DeletionEntry, LedgerEntry } from "../domain/deletion/ledger-entry.ts";
import type { HoldsOfReplay } from "../store/replay.ts";
import type { App } from "./app.ts";
import { OperatorError } from "./operator-error.ts";

/** A ledger of another host, or a file of receipts. */
export interface LedgerSource {
  /** As the operator gave it. */
  readonly name: string;
  /** From its beginning, each time. */
  readonly read: () => AsyncIterable<LedgerEntry>;
}

export interface LedgerFindings {
  /** Deletions that the store has not completed. */
  readonly unreplayed: number;
  readonly holds: HoldsOfReplay;
  /** Where the chains ended as far as the ledgers know. */
  readonly known: {
    readonly audit: ChainHead | undefined;
    readonly receipts: ChainHead | undefined;
  };
  /** True if one of those ends is not in the store. */
  readonly behind: boolean;
}

/** Deletions of this host's own ledger and of the others, page by page. */
export async function* readDeletions(
  app: App,
  sources: readonly LedgerSource[],
): AsyncGenerator<readonly DeletionEntry[]> {
  let page: DeletionEntry[] = [];
  for await (const entry of readAll(app, sources)) {
    if (entry.kind === "deletion") page.push(entry);
    if (page.length < limits.ledgerEntriesAtOnce) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Throws OperatorError for a ledger of another store. */
export async function readLedgers(
  app: App,
  sources: readonly LedgerSource[],
): Promise<LedgerFindings> {
  const { storeId } = await app.store.receiptHead();
  const reading = new LedgerReading(storeId);
  let unreplayed = 0;
  let page: DeletionEntry[] = [];
  for await (const entry of readAll(app, sources)) {
    reading.add(entry);
    if (entry.kind === "deletion") page.push(entry);
    if (page.length < limits.ledgerEntriesAtOnce) continue;
    unreplayed += await app.store.replay.countUnreplayed(page);
    page = [];
  }
  unreplayed += await app.store.replay.countUnreplayed(page);
  const { audit, receipts } = reading;
  const isThere = (await hasEntry(app, audit.inForce)) && (await hasReceipt(app, receipts.inForce));
  return {
    unreplayed,
    holds: await reading.compareHolds(app),
    known: { audit: audit.highest, receipts: receipts.highest },
    behind: !isThere,
  };
}

async function* readAll(app: App, sources: readonly LedgerSource[]): AsyncGenerator<LedgerEntry> {
  for await (const { entries } of app.ledger.readParts()) yield* entries;
  for (const source of sources) yield* source.read();
}

/** The link with the highest number, and the one that the store has to have unless it was rolled back. */
class Ends {
  highest: ChainHead | undefined;
  inForce: ChainHead | undefined;

  add(link: ChainHead): void {
    if (link.no > (this.highest?.no ?? 0)) this.highest = link;
    if (link.no > (this.inForce?.no ?? 0)) this.inForce = link;
  }

  /** What was lost in an earlier restore is not looked for again. */
  goOnFrom(link: ChainHead): void {
    this.add(link);
    this.inForce = link.no === 0 ? undefined : link;
  }
}

class LedgerReading {
  readonly audit = new Ends();
  readonly receipts = new Ends();
  readonly #storeId: string;
  readonly #placed = new Map<string, Hold>();
  readonly #released = new Set<string>();

  constructor(storeId: string) {
    this.#storeId = storeId;
  }

  add(entry: LedgerEntry): void {
    switch (entry.kind) {
      case "deletion":
        if (entry.completed !== undefined) {
          this.receipts.add({ no: entry.completed.receiptNo, hash: entry.completed.receiptHash });
        }
        break;
      case "heads":
        this.#requireStore(entry.storeId);
        this.audit.add(entry.audit);
        break;
      case "restore":
        this.audit.goOnFrom(entry.entry);
        this.receipts.goOnFrom(entry.receipts.restored);
        break;
      case "begin":
        this.#requireStore(entry.storeId);
        break;
      case "hold_placed":
        this.#placed.set(entry.hold.holdId, entry.hold);
        break;
      case "hold_released":
        this.#released.add(entry.holdId);
        break;
    }
  }

  /** A release counts whatever the order of the ledgers: no hold is placed again under its id. */
  async compareHolds({ store }: App): Promise<HoldsOfReplay> {
    for (const holdId of this.#released) this.#placed.delete(holdId);
    const release: string[] = [];
    const limit = limits.holdsListedAtOnce;
    for (let after: string | undefined; ;) {
      const page = await store.holds.list({ after, limit });
      for (const { holdId } of page) {
        this.#placed.delete(holdId);
        if (this.#released.has(holdId)) release.push(holdId);
      }
      if (page.length < limit) return { place: [...this.#placed.values()], release };
      after = page.at(-1)?.holdId;
    }
  }

  #requireStore(storeId: string): void {
    if (storeId === this.#storeId) return;
    throw new OperatorError(
      "other_store",
      `The ledger is of another store, ${storeId}; this one is ${this.#storeId}. Name the ledger of this store.`,
    );
  }
}

async function hasEntry({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined) return true;
  const [entry] = await store.listAudit(link.no - 1, 1);
  return entry?.entryNo === link.no && entry.hash === link.hash;
}

async function hasReceipt({ store }: App, link: ChainHead | undefined): Promise<boolean> {
  if (link === undefined) return true;
  const [kept] = await store.listReceipts(link.no - 1, 1);
  return kept?.receipt.receipt_no === link.no && kept.hash === link.hash;
}
