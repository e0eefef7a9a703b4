// Random small graphs of records of one organization, and what happens to them day by day: writes,
// holds, rules and deletions. Midnights only, so that every floor ends at one.

import type { Payload } from "../../src/domain/record-type.ts";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import type { Random } from "../support/random.ts";
import type { ModelChange, Name } from "./model.ts";

export const dayMs = 86_400_000;
/** The first day, by the test clock. */
export const firstDay = Date.UTC(2026, 0, 1);

/** Longer than the time after which a waiting deletion is evaluated again. */
export const keepDaysMax = 12;

export type Step =
  | {
      readonly do: "write";
      readonly name: Name;
      readonly fields: Payload;
      readonly change: ModelChange;
    }
  | { readonly do: "request"; readonly name: Name; readonly graceMs: number }
  | { readonly do: "close" }
  | { readonly do: "release" | "cancel"; readonly name: Name }
  /** The hold lasts for these days after the current one; undefined without an end. */
  | { readonly do: "hold"; readonly name: Name; readonly days: number | undefined }
  /** The ceiling of the organization. */
  | { readonly do: "retain"; readonly days: number | undefined }
  | { readonly do: "hold restricted" | "release restricted"; readonly dice: number }
  | {
      readonly do: "rule";
      readonly type: string;
      readonly keepDays: number | undefined;
      readonly deleteAfterDays: number | undefined;
      readonly from: FloorOrigin;
      readonly redactable: boolean;
    };

const names: readonly Name[] = [
  "transaction/t0",
  "transaction/t1",
  "transaction_check/c0",
  "transaction_check/c1",
  "transaction_alert/a0",
  "screening/n0",
  "screening/n1",
  "person/p0",
  "company/co0",
  "risk_assessment/r0",
  "onboarding_flow/o0",
  "transaction_suspicious_activity/u0",
  "transaction_suspicious_activity/u1",
  "customer_sar/k0",
];
/** Accounts are closed and opened more often than other records are changed. */
const written = [...names, "person/p0", "person/p0", "company/co0", "company/co0"];
/**
 * Without reports, which only operators can have deleted, and alerts, which may then be in the plans of two deletions;
 * ceilings request both.
 */
const requested = names.filter((name) => !/suspicious|sar|alert/.test(name));
const roots = names.filter((name) => /^(transaction|person|company)\//.test(name));
const types = [...new Set(names.map((name) => name.slice(0, name.indexOf("/"))))];

/** The references of each type: the field, whether it is a list, and the names that it may lead to. */
const references: Readonly<Record<string, readonly (readonly [string, boolean, RegExp])[]>> = {
  transaction_check: [["related_tx_ids", true, /^transaction\//]],
  transaction_alert: [
    ["related_tx_ids", true, /^transaction\//],
    ["related_check_id", false, /^transaction_check\//],
  ],
  screening: [
    ["related_tx_id", false, /^transaction\//],
    ["related_person_id", false, /^person\//],
  ],
  risk_assessment: [["related_person_id", false, /^person\//]],
  onboarding_flow: [["related_company_id", false, /^company\//]],
  person: [["related_company_id", false, /^company\//]],
  transaction_suspicious_activity: [
    ["related_tx_ids", true, /^transaction\//],
    ["related_alert_id", false, /^transaction_alert\//],
  ],
  customer_sar: [
    ["related_person_id", false, /^person\//],
    ["related_company_id", false, /^company\//],
  ],
};

/** The steps of a day; on the first one most records are written. */
export function stepsOfDay(random: Random, day: number): readonly Step[] {
  if (day === 0) {
    const present = names.filter(() => random.chance(0.7)).map((name) => write(random, name, day));
    return [...present, ...Array.from({ length: 3 }, () => rule(random))];
  }
  const count = random.integer(0, 4);
  return Array.from({ length: count }, () => anyStep(random, day));
}

function anyStep(random: Random, day: number): Step {
  const dice = random.next();
  if (dice < 0.35) return write(random, random.pick(written), day);
  if (dice < 0.7) {
    const name = random.chance(0.8) ? random.pick(roots) : random.pick(requested);
    return { do: "request", name, graceMs: random.chance(0.8) ? 0 : dayMs };
  }
  if (dice < 0.76) {
    const days = random.chance(0.5) ? random.integer(0, keepDaysMax) : undefined;
    return { do: "hold", name: random.pick(names), days };
  }
  if (dice < 0.86) return { do: "release", name: random.pick(names) };
  if (dice < 0.9) return { do: "cancel", name: random.pick(roots) };
  if (dice < 0.915) return { do: "close" };
  if (dice < 0.925) return { do: "hold restricted", dice: random.integer(0, 99) };
  if (dice < 0.935) return { do: "release restricted", dice: random.integer(0, 99) };
  if (dice < 0.945) {
    return { do: "retain", days: random.chance(0.3) ? undefined : random.integer(1, keepDaysMax) };
  }
  return rule(random);
}

function rule(random: Random): Step {
  const type = random.pick(types);
  const from = random.chance(0.7) ? originOf(type) : "last_seen";
  const keepDays = random.chance(0.15) ? undefined : random.integer(1, keepDaysMax);
  // Some contradict the floor, and are refused.
  const deleteAfterDays = random.chance(0.6) ? undefined : random.integer(1, keepDaysMax);
  return { do: "rule", type, keepDays, deleteAfterDays, from, redactable: random.chance(0.4) };
}

function originOf(type: string): FloorOrigin {
  if (/person|company/.test(type)) return "closed";
  return /suspicious/.test(type) ? "report_filed_at" : "last_seen";
}

/** A change with a timestamp of this day, or of another one nearby. */
function write(random: Random, name: Name, day: number): Step {
  const type = name.slice(0, name.indexOf("/"));
  const at = firstDay + (day + random.integer(-3, 1)) * dayMs;
  const fields: Record<string, unknown> = { timestamp: new Date(at).toISOString() };
  const led: Name[] = [];
  for (const [field, isList, to] of references[type] ?? []) {
    // At most one of the references of a screening is allowed.
    if (!random.chance(0.7) || (type === "screening" && led.length > 0)) continue;
    const reachable = names.filter((other) => to.test(other));
    const chosen = isList ? reachable.filter(() => random.chance(0.5)) : [random.pick(reachable)];
    const ids = chosen.map((other) => other.slice(other.indexOf("/") + 1));
    if (ids.length > 0) fields[field] = isList ? ids : ids[0];
    led.push(...chosen);
  }
  const parties = type === "transaction" ? anyParties(random) : [];
  for (const [index, party] of parties.entries()) {
    const field = index === 0 ? "sender" : "receiver";
    fields[`${field}_id`] = party.slice(party.indexOf("/") + 1);
    fields[`${field}_country`] = "DE";
  }
  const mayClose = /person|company/.test(type);
  const closed = mayClose && random.chance(0.7) ? random.chance(0.6) : undefined;
  const status = closed === true ? "CLOSED" : "APPROVED";
  if (mayClose) fields["account_status"] = closed === undefined ? undefined : status;
  const filedAt = /suspicious/.test(type) ? anyFiling(random, day) : undefined;
  if (/suspicious/.test(type)) fields["report_filed_at"] = filingText(filedAt);
  const [belongs, mentions] = type === "person" ? [[], led] : [led, []];
  return { do: "write", name, fields, change: { at, belongs, mentions, parties, closed, filedAt } };
}

/** The sender and the receiver of a transaction, which may be the same, or in no record. */
function anyParties(random: Random): readonly Name[] {
  const some = ["person/p0", "company/co0", "person/elsewhere"];
  return [random.pick(some), random.pick(some)];
}

/** Null clears the time of an earlier change; undefined says nothing. */
function anyFiling(random: Random, day: number): number | null | undefined {
  if (random.chance(0.4)) return undefined;
  return random.chance(0.1) ? null : firstDay + (day + random.integer(-3, 2)) * dayMs;
}

function filingText(filedAt: number | null | undefined): string | null | undefined {
  return typeof filedAt === "number" ? new Date(filedAt).toISOString() : filedAt;
}
