// Compares the ledger outside the store with the store: both have the same receipts, holds, floors and restores, and
// the chains of the store contain every signed head. This finds even a consistent rewrite of the store, unless its
// author has the key.

import { limits } from "../../domain/limits.ts";
import type { DeletionEntry, HeadsEntry } from "../../domain/deletion/ledger-entry.ts";
import type { LedgerPart } from "../../store/interface/ledger.ts";
import type { LedgerMark } from "../../store/interface/replay.ts";
import type { App } from "../app.ts";
import { type Difference, factOfLedger, Facts, storedFacts } from "../ledger/facts.ts";
import type { TrailRead } from "./check-trail.ts";
import type { Findings } from "./findings.ts";
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
  if (!store.traits.isServer) {
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
  readonly #facts = new Facts();
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
        case "heads":
          await this.#parts.heads.addHeads(entry, this.#previousDigest);
          break;
        case "restore":
          this.#parts.heads.addRestore(entry);
          break;
        case "hold_placed":
        case "hold_released":
        case "floor":
          this.#facts.add(factOfLedger(entry));
      }
    }
    if (this.#page.length >= limits.ledgerEntriesAtOnce) await this.#checkPage();
  }

  async end(): Promise<void> {
    await this.#checkPage();
    const { heads, trail } = this.#parts;
    const noted = heads.end(trail?.restores ?? []);
    await this.#receipts.end(noted?.receipts.no ?? 0);
    await this.#compareFacts(noted?.audit.no ?? 0);
    this.#compareMark();
    await this.#noteRest(noted);
  }

  async #checkPage(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    await this.#receipts.check(page);
  }

  /** What the trail states after the last heads is not in the ledger yet. */
  async #compareFacts(notedNo: number): Promise<void> {
    for await (const difference of this.#facts.differences(storedFacts(this.#app))) {
      const { fact } = difference;
      if ((this.#parts.trail?.facts.lastNo(fact) ?? 0) > notedNo) continue;
      this.#findings.add(`${fact.name} ${describe(difference)}.`);
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

function describe({ is, fact: { about } }: Difference): string {
  if (about === "hold" && is === "missing")
    return "is in force in the ledger, and not in the store";
  if (about === "hold" && is === "unstated") return "is in the store, and not in the ledger";
  if (about === "hold" && is === "ended") {
    return "is released in the ledger, and in force in the store";
  }
  return "differs between the ledger and the store";
}
