// Compares the ledger outside the store with the store: both have the same receipts, holds, floors and restores, and
// the chains of the store contain every signed head. This finds even a consistent rewrite of the store, unless its
// author has the key.

import { isDeepStrictEqual } from "node:util";
import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { DeletionEntry, HeadsEntry } from "../../domain/deletion/ledger-entry.ts";
import type { LedgerPart } from "../../store/interface/ledger.ts";
import type { LedgerMark } from "../../store/interface/replay.ts";
import type { App } from "../app.ts";
import { FloorStates } from "../retention/floor-states.ts";
import { holdPages } from "../pages.ts";
import type { Findings } from "./findings.ts";
import { nameFloor, type TrailRead } from "./check-trail.ts";
import { HeadsCheck } from "./heads-check.ts";
import { LedgerReceipts } from "./ledger-receipts.ts";

/** Returns notes. `trail` is undefined if the trail could not be read. */
export async function checkLedger(
  app: App,
  findings: Findings,
  trail: TrailRead | undefined,
): Promise<readonly string[]> {
  const marks = await app.store.replay.listLedgerMarks();
  if (!app.ledger.exists()) return describeMissing(app, findings, marks);
  const check = new LedgerCheck(app, findings, {
    marks,
    heads: await HeadsCheck.make(app, findings),
    trail,
  });
  for await (const part of app.ledger.readParts()) await check.add(part);
  await check.end();
  return check.notes;
}

async function describeMissing(
  { store, ledger }: App,
  findings: Findings,
  marks: readonly LedgerMark[],
): Promise<readonly string[]> {
  const { receiptNo } = await store.receiptHead();
  const text = `There is no ledger of deletions at ${ledger.path}`;
  if (store.engine === "sqlite") {
    if (marks.length > 0 || receiptNo > 0) findings.add(`${text}, and there was one.`);
    return [];
  }
  return [`${text}; checks that need it were skipped.`];
}

interface Parts {
  readonly marks: readonly LedgerMark[];
  readonly heads: HeadsCheck;
  readonly trail: TrailRead | undefined;
}

class LedgerCheck {
  readonly notes: string[] = [];
  readonly #app: App;
  readonly #findings: Findings;
  readonly #parts: Parts;
  readonly #receipts: LedgerReceipts;
  readonly #placed = new Map<string, Hold>();
  readonly #released = new Set<string>();
  readonly #floors = new FloorStates();
  #page: DeletionEntry[] = [];
  #ledgerId: string | undefined;
  #previousDigest: string | undefined;
  #markSeen = false;

  constructor(app: App, findings: Findings, parts: Parts) {
    this.#app = app;
    this.#findings = findings;
    this.#parts = parts;
    this.#receipts = new LedgerReceipts(app, findings, parts.trail?.restores ?? []);
  }

  async add(part: LedgerPart): Promise<void> {
    await this.#addEntries(part);
    if (part.digest !== undefined) this.#previousDigest = part.digest;
    const mark = this.#parts.marks.find(({ ledgerId }) => ledgerId === this.#ledgerId);
    if (mark?.end === part.end && mark.digest === part.digest) this.#markSeen = true;
  }

  async #addEntries({ entries }: LedgerPart): Promise<void> {
    for (const entry of entries) {
      switch (entry.kind) {
        case "begin":
          this.#ledgerId = entry.ledgerId;
          break;
        case "deletion":
          this.#page.push(entry);
          break;
        case "hold_placed":
          this.#placed.set(entry.hold.holdId, entry.hold);
          break;
        case "hold_released":
          this.#released.add(entry.holdId);
          break;
        case "floor":
          this.#floors.add(entry);
          break;
        case "heads":
          await this.#parts.heads.addHeads(entry, this.#previousDigest);
          break;
        case "restore":
          this.#parts.heads.addRestore(entry);
          break;
      }
    }
    if (this.#page.length >= limits.ledgerEntriesAtOnce) await this.#checkPage();
  }

  async end(): Promise<void> {
    await this.#checkPage();
    const { heads, trail } = this.#parts;
    const noted = heads.end(trail?.restores ?? []);
    await this.#receipts.end(noted?.receipts.no ?? 0);
    // Without heads, nothing has to be in the ledger yet, even what has no audit entry, as after an upgrade.
    const notedNo = noted?.audit.no ?? -1;
    await this.#compareHolds(notedNo);
    await this.#compareFloors(notedNo);
    this.#compareMark();
    await this.#noteRest(noted);
  }

  async #checkPage(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    await this.#receipts.check(page);
  }

  /** Holds that were placed before the last heads must be the same in both. */
  async #compareHolds(notedNo: number): Promise<void> {
    for (const id of this.#released) this.#placed.delete(id);
    for await (const page of holdPages(this.#app)) {
      for (const hold of page) this.#compareHold(hold, notedNo);
    }
    for (const id of this.#placed.keys()) {
      if (this.#parts.trail?.released.has(id) === true) continue;
      this.#findings.add(`Hold ${id} is in force in the ledger, and not in the store.`);
    }
  }

  #compareHold(hold: Hold, notedNo: number): void {
    const { holdId } = hold;
    const known = this.#placed.get(holdId);
    this.#placed.delete(holdId);
    if (this.#released.has(holdId)) {
      this.#findings.add(`Hold ${holdId} is released in the ledger, and in force in the store.`);
    } else if (known !== undefined && !isDeepStrictEqual(known, hold)) {
      this.#findings.add(`Hold ${holdId} differs between the ledger and the store.`);
    } else if (known === undefined) {
      const entryNo = this.#parts.trail?.placedBy.get(holdId) ?? 0;
      if (entryNo > notedNo) return;
      this.#findings.add(`Hold ${holdId} is in the store, and not in the ledger.`);
    }
  }

  /** Those that the trail states after the last heads are not in the ledger yet. */
  async #compareFloors(notedNo: number): Promise<void> {
    const stored = await this.#app.store.retention.listFloors(undefined);
    for (const floor of [
      ...this.#floors.contradictedBy(stored),
      ...this.#floors.unstated(stored),
    ]) {
      if ((this.#parts.trail?.floors.lastNo(floor) ?? 0) > notedNo) continue;
      this.#findings.add(`${nameFloor(floor)} differs between the ledger and the store.`);
    }
  }

  #compareMark(): void {
    const mark = this.#parts.marks.find(({ ledgerId }) => ledgerId === this.#ledgerId);
    const { path } = this.#app.ledger;
    if (mark === undefined && this.#parts.heads.count > 1) {
      this.#findings.add(`The store no longer knows the ledger of deletions ${path}.`);
    }
    if (mark !== undefined && !this.#markSeen) {
      this.#findings.add(
        `The ledger of deletions ${path} differs from what the store knows of it up to byte ${mark.end}: its end is ` +
          "missing or was changed.",
      );
    }
    const others = this.#parts.marks.filter(({ ledgerId }) => ledgerId !== this.#ledgerId);
    for (const { ledgerId, notedAt } of others.slice(0, 5)) {
      const when = new Date(notedAt).toISOString();
      this.notes.push(
        `Another ledger, ${ledgerId}, was last updated ${when}; it is not on this host.`,
      );
    }
  }

  async #noteRest(noted: HeadsEntry | undefined): Promise<void> {
    const { no } = await this.#app.store.trail.head();
    if (noted === undefined) {
      // A store that was never served has no key.
      if ((await this.#app.store.listReceiptKeys()).length === 0) return;
      this.notes.push("The ledger has no signed heads; no part of the audit trail is signed yet.");
    } else if (no > noted.audit.no) {
      const since = new Date(noted.at).toISOString();
      const count = no - noted.audit.no;
      const entries = count === 1 ? "1 audit entry is" : `${count} audit entries are`;
      this.notes.push(`${entries} newer than the last signed heads, of ${since}.`);
    }
  }
}
