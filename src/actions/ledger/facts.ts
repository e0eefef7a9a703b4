// The facts that a store, its audit trail and its ledgers have to state alike: legal holds, retention floors, and
// public keys of receipts. A fact has the same form wherever it was read, so one comparison is enough. Changes nothing.

import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type AuditEntry, describeHold, type Hold } from "../../domain/access.ts";
import type { FloorEntry, LedgerEntry } from "../../domain/deletion/ledger-entry.ts";
import type { ReceiptKey } from "../../domain/deletion/receipt.ts";
import { floorOrigins } from "../../domain/retention/floor.ts";
import { subjectOfRecord } from "../../domain/trail-text.ts";
import type { App } from "../app.ts";
import { holdPages } from "../pages.ts";

export interface Fact {
  readonly about: "hold" | "floor" | "key";
  /** The name of the fact. It is unique, and the subject of a finding. */
  readonly name: string;
  /** Of the facts with the same name, the one with the highest number is in force. */
  readonly no: number;
  /** The content of the fact in the form of the audit trail; undefined after the end of the fact. */
  readonly stated: object | undefined;
  /** Missing if the audit trail states the fact, which contains no ids of records. */
  readonly hold?: Hold;
  readonly floor?: FloorEntry;
}

/** A fact on which the store differs from the statement in the ledger or the trail. */
export interface Difference {
  /** unstated: only the store has it. missing: the store lacks it. ended: the store still has it. */
  readonly is: "unstated" | "missing" | "ended" | "altered";
  /** The fact of the store, or the fact that it lacks. */
  readonly fact: Fact;
  /** The last statement. */
  readonly last: Fact | undefined;
}

/** Collects the facts of a trail or of ledgers, and compares the store with them. */
export class Facts {
  readonly #last = new Map<string, Fact>();

  /** In any order. */
  add(fact: Fact | undefined): void {
    if (fact === undefined || fact.no < this.lastNo(fact)) return;
    this.#last.set(fact.name, fact);
  }

  /** The number of the last fact of this name; 0 if there is none. */
  lastNo({ name }: Fact): number {
    return this.#last.get(name)?.no ?? 0;
  }

  async *differences(stored: AsyncIterable<Fact>): AsyncGenerator<Difference> {
    const missing = new Map(this.#last);
    for await (const fact of stored) {
      const last = this.#last.get(fact.name);
      missing.delete(fact.name);
      if (last === undefined) yield { is: "unstated", fact, last };
      else if (last.stated === undefined) yield { is: "ended", fact, last };
      else if (!isDeepStrictEqual(last.stated, fact.stated)) yield { is: "altered", fact, last };
    }
    for (const last of missing.values()) {
      if (last.stated !== undefined) yield { is: "missing", fact: last, last };
    }
  }
}

/** The holds and the retention rules of the store. */
export async function* storedFacts(app: App): AsyncGenerator<Fact> {
  for await (const page of holdPages(app)) yield* page.map(factOfHold);
  for (const floor of await app.store.retention.listRules(undefined)) {
    const { organizationId, resourceType, ...rule } = floor;
    yield factOfFloor({ ...unstated, organizationId, resourceType, rule });
  }
}

const unstated = { kind: "floor", entryNo: 0, at: 0, by: "" } as const;

/** A key, and its end if it was retired. */
export function* factsOfKey(key: ReceiptKey): Generator<Fact> {
  const { keyId, publicKey, createdAt, retiredAt } = key;
  yield { about: "key", name: nameKey(keyId), no: 0, stated: { publicKey, createdAt } };
  if (retiredAt !== undefined) yield factOfKeyEnd(keyId, { no: 0, retiredAt });
}

/** Returns the fact that an audit entry states; undefined if it states none. */
export function factOfAudit(entry: AuditEntry): Fact | undefined {
  const { action, entryNo: no, organizationId, subject, at: retiredAt } = entry;
  const { because: _, ...stated } = entry.detail;
  const name = nameHold(String(stated["holdId"]));
  switch (action) {
    case "hold.place":
      return { about: "hold", name, no, stated: { organizationId, subject, ...stated } };
    case "hold.release":
      return { about: "hold", name, no, stated: undefined };
    case "retention.set":
    case "retention.remove":
      return factOfRule(entry);
    case "receipt_key.create":
      return { about: "key", name: nameKey(subject), no, stated };
    case "receipt_key.retire":
      return factOfKeyEnd(subject, { no, retiredAt });
    default:
      return undefined;
  }
}

/**
 * Returns the fact that an entry of a ledger states. A release counts wherever it appears, because the id of a hold is
 * never used again.
 */
export function factOfLedger(entry: LedgerEntry): Fact | undefined {
  if (entry.kind === "floor") return factOfFloor(entry);
  if (entry.kind === "hold_placed") return factOfHold(entry.hold);
  if (entry.kind !== "hold_released") return undefined;
  return { about: "hold", name: nameHold(entry.holdId), no: 1, stated: undefined };
}

function factOfHold(hold: Hold): Fact {
  const { holdId, organizationId } = hold;
  const subject = subjectOfRecord(hold, (text) => hash("sha256", text));
  const stated = { organizationId, subject, ...describeHold(hold) };
  return { about: "hold", name: nameHold(holdId), no: 0, stated, hold };
}

function factOfFloor(floor: FloorEntry): Fact {
  const { organizationId, resourceType, entryNo: no, rule: stated } = floor;
  const name = `The retention floor of ${resourceType} of organization ${organizationId}`;
  return { about: "floor", name, no, stated, floor };
}

/** Returns the fact of a floor. Undefined for an entry that somebody has altered so that it states none. */
function factOfRule(entry: AuditEntry): Fact | undefined {
  const { action, entryNo, organizationId, detail, at, actor: by } = entry;
  const { resourceType, keepDays } = detail;
  if (typeof resourceType !== "string" || organizationId === undefined) return undefined;
  const floor = { kind: "floor", entryNo, organizationId, resourceType, at, by } as const;
  if (action === "retention.remove") return factOfFloor({ ...floor, rule: undefined });
  const countedFrom = floorOrigins.find((origin) => origin === detail["countedFrom"]);
  if (typeof keepDays !== "number" || countedFrom === undefined) return undefined;
  const redactable = detail["redactable"] === true;
  const { deleteAfterDays } = detail;
  const ceiling = typeof deleteAfterDays === "number" ? { deleteAfterDays } : {};
  return factOfFloor({ ...floor, rule: { keepDays, countedFrom, redactable, ...ceiling } });
}

function factOfKeyEnd(keyId: string, { no, ...stated }: { no: number; retiredAt: number }): Fact {
  return { about: "key", name: `The end of the public key ${keyId} of receipts`, no, stated };
}

function nameHold(holdId: string): string {
  return `Hold ${holdId}`;
}

function nameKey(keyId: string): string {
  return `The public key ${keyId} of receipts`;
}
