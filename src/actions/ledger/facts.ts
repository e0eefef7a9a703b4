// Reads facts from a store, its audit trail and its ledgers: legal holds, retention floors, settings of organizations,
// and public keys of receipts. Changes nothing.

import { hash } from "node:crypto";
import { type AuditEntry, describeHold, type Hold } from "../../domain/access.ts";
import type { FloorEntry, LedgerEntry } from "../../domain/deletion/ledger-entry.ts";
import type { ReceiptKey } from "../../domain/deletion/receipt.ts";
import { floorOrigins } from "../../domain/retention/floor.ts";
import { subjectOfRecord } from "../../domain/trail-action.ts";
import type { App } from "../app.ts";
import { holdPages } from "../pages.ts";
import type { Fact } from "./fact.ts";
import { accessFactsOf } from "./access-facts.ts";
import { factsOfSettings, settingsOf, storedSettings } from "./settings.ts";
import { nounOf } from "../../domain/record-types.ts";

/** The facts of the store that ledgers state too. */
export async function* storedFacts(app: App): AsyncGenerator<Fact> {
  for await (const page of holdPages(app)) yield* page.map(factOfHold);
  for (const floor of await app.store.retention.listRules(undefined)) {
    const { organizationId, resourceType, ...rule } = floor;
    yield factOfFloor({ ...unstated, organizationId, resourceType, rule });
  }
  for (const organization of await app.store.listOrganizations()) {
    yield* storedSettings(organization);
  }
}

const unstated = { kind: "floor", entryNo: 0, at: 0, by: "" } as const;

export function* factsOfKey(key: ReceiptKey): Generator<Fact> {
  const { keyId, publicKey, createdAt, retiredAt } = key;
  yield { about: "key", name: nameKey(keyId), no: 0, stated: { publicKey, createdAt } };
  if (retiredAt !== undefined) yield factOfKeyEnd(keyId, { no: 0, retiredAt });
}

export function factsOfAudit(entry: AuditEntry): readonly Fact[] {
  const settings = settingsOf(entry);
  if (settings !== undefined) return factsOfSettings(settings);
  const fact = factOfAudit(entry);
  return fact === undefined ? accessFactsOf(entry) : [fact];
}

function factOfAudit(entry: AuditEntry): Fact | undefined {
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

/** A release counts wherever it appears, because the id of a hold is never used again. */
export function factsOfLedger(entry: LedgerEntry): readonly Fact[] {
  if (entry.kind === "settings") return factsOfSettings(entry);
  if (entry.kind === "floor") return [factOfFloor(entry)];
  if (entry.kind === "hold_placed") return [factOfHold(entry.hold)];
  if (entry.kind !== "hold_released") return [];
  return [{ about: "hold", name: nameHold(entry.holdId), no: 1, stated: undefined }];
}

function factOfHold(hold: Hold): Fact {
  const { holdId, organizationId } = hold;
  const subject = subjectOfRecord(hold, (text) => hash("sha256", text));
  const stated = { organizationId, subject, ...describeHold(hold) };
  return { about: "hold", name: nameHold(holdId), no: 0, stated, hold };
}

function factOfFloor(floor: FloorEntry): Fact {
  const { organizationId, resourceType, entryNo: no, rule: stated } = floor;
  const name = `The retention floor of ${nounOf(resourceType)} of organization ${organizationId}`;
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
