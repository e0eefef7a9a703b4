// Random scenarios: records that everybody may see, requests of a caller who lacks the read scope of some confidential
// types, and records of these types, of which every world has its own.

import { confidentialTypes, mayRead } from "../../src/domain/confidentiality.ts";
import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { coveredScopes, type Scope } from "../../src/domain/scope.ts";
import { typeNamed } from "../contract/scene.ts";
import type { Random } from "../support/random.ts";

/** A record that an officer writes, besides the API. */
export interface Written {
  readonly type: string;
  readonly id: string;
  readonly fields: Payload;
  readonly mode: "add" | "update";
  readonly idempotencyKey: string | undefined;
}

/** What the caller does: a request, or reading the status of one of the deletions so far. */
export type Step =
  | {
      readonly method: string;
      readonly path: string;
      readonly query?: Readonly<Record<string, string>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | { readonly deletion: number };

export interface Phase {
  readonly records: readonly Written[];
  readonly steps: readonly Step[];
}

export interface Scenario {
  readonly scopes: readonly Scope[];
  readonly strictScopes: boolean;
  /** Besides those that always are. */
  readonly added: readonly string[];
  /** The retention ceiling; by the test clock some records are older. */
  readonly retainDays: number | null;
  /** Confidential types that the caller may not read. */
  readonly hidden: readonly string[];
  /** Whether records of these types have to be kept: by retention floors, and every other one by a legal hold. */
  readonly obliged: boolean;
  /** Retention floors of types that are not hidden, the same in all worlds. Some have ended. */
  readonly floors: readonly VisibleFloor[];
  readonly phases: readonly Phase[];
}

export interface VisibleFloor {
  readonly resourceType: string;
  readonly keepDays: number;
  readonly redactable: boolean;
}

const grants: readonly { readonly scopes: readonly Scope[]; readonly strictScopes: boolean }[] = [
  {
    strictScopes: true,
    scopes: ["person:write", "person:delete", "company:write", "company:delete", "screening:write"],
  },
  { strictScopes: true, scopes: ["transactions:delete", "person:delete", "company:delete"] },
  {
    strictScopes: false,
    scopes: ["transactions:write", "person:write", "person:delete", "company:delete"],
  },
  {
    strictScopes: true,
    scopes: ["transactions:write", "transactions:delete", "person:read", "person:delete"],
  },
];

const additions: readonly (readonly string[])[] = [
  [],
  [],
  ["screening"],
  ["transaction_alert"],
  ["transaction_check", "transaction_alert"],
  ["onboarding_flow", "identity_verification"],
];

const phasesOfScenario = 2;
export const stepsMax = 8;
const idempotencyKeys = ["key-1", "key-2", "key-3"];
const path = { deletion: "/v2/deletion_request" };

export function makeScenario(random: Random): Scenario {
  const { scopes, strictScopes } = random.pick(grants);
  const added = random.pick(additions);
  const covered = coveredScopes(scopes, strictScopes);
  const hidden = [...confidentialTypes(added)].filter(
    (name) => !mayRead({ covered }, typeNamed(name)),
  );
  const visible = recordTypes.map(({ resourceType }) => resourceType);
  const open = visible.filter((name) => !hidden.includes(name));
  const phases = Array.from({ length: phasesOfScenario }, () => ({
    records: [...makeRoots(random), ...makeRecords(random, open, random.integer(2, 7))],
    steps: Array.from({ length: random.integer(3, stepsMax) }, () => makeStep(random)),
  }));
  const retainDays = random.chance(0.5) ? null : random.integer(130, 138);
  const obliged = random.chance(0.6);
  const floors = random.chance(0.5) ? [] : makeFloors(random, open, retainDays);
  return { scopes, strictScopes, added, retainDays, hidden, obliged, floors, phases };
}

/** Transactions usually have one, because they name those who are erased. */
function makeFloors(
  random: Random,
  open: readonly string[],
  retainDays: number | null,
): readonly VisibleFloor[] {
  const types = new Set(["transaction", random.pick(open)].filter((type) => open.includes(type)));
  return [...types].map((resourceType) => {
    const keepDays = random.chance(0.5) ? random.integer(100, 129) : (retainDays ?? 400);
    return { resourceType, keepDays, redactable: random.chance(0.3) };
  });
}

/** Records of hidden types for one phase of one world; often none. */
export function makeHidden(random: Random, { hidden }: Scenario): readonly Written[] {
  if (hidden.length === 0 || random.chance(0.4)) return [];
  return makeRecords(random, hidden, random.integer(1, 5));
}

function makeRecords(random: Random, types: readonly string[], count: number): readonly Written[] {
  return Array.from({ length: count }, () => makeRecord(random, random.pick(types)));
}

/** Records that can be deleted. */
function makeRoots(random: Random): readonly Written[] {
  return recordTypes
    .filter(({ deletable }) => deletable === true)
    .flatMap(({ resourceType }) => makeRecords(random, [resourceType], 2))
    .map((record) => ({ ...record, mode: "add" as const }));
}

function makeRecord(random: Random, type: string): Written {
  return {
    type,
    id: anyId(random, type),
    fields: {
      ...references(random, typeNamed(type)),
      ...parties(random, type),
      timestamp: timestamp(random),
    },
    mode: random.chance(0.8) ? "add" : "update",
    idempotencyKey: random.chance(0.3) ? random.pick(idempotencyKeys) : undefined,
  };
}

/** Few, so that records refer to one another and deletions find something. */
function anyId(random: Random, type: string): string {
  return `${type}-${random.integer(0, typeNamed(type).deletable === true ? 1 : 2)}`;
}

function timestamp(random: Random): string {
  return `2026-01-${String(random.integer(10, 28))}T09:30:00Z`;
}

/** References that the type can have together. */
function references(random: Random, type: RecordType): Payload {
  const fields = type.relations.filter(() => random.chance(0.6));
  const isSingle = type.rules.some(({ exclusive }) => exclusive !== undefined);
  const chosen = isSingle ? fields.slice(0, 1) : fields;
  const [needed] = type.relations;
  const isNeeded = type.confidential === true && chosen.length === 0 && needed !== undefined;
  const all = isNeeded ? [needed] : chosen;
  return Object.fromEntries(
    all.map(({ field, to }) => {
      const isList = field.endsWith("_ids");
      const ids = isList ? [anyId(random, to), anyId(random, to)] : [anyId(random, to)];
      return [field, isList ? [...new Set(ids)] : ids[0]];
    }),
  );
}

/** Whom a transaction names. */
function parties(random: Random, type: string): Payload {
  if (type !== "transaction" || random.chance(0.4)) return {};
  const party = random.pick(["person", "company"]);
  return { sender_id: anyId(random, party), sender_country: "DE" };
}

function makeStep(random: Random): Step {
  const dice = random.next();
  const type = random.pick(recordTypes);
  if (dice < 0.35) return requestDeletion(random);
  if (dice < 0.45) return { deletion: random.integer(0, 2) };
  if (dice < 0.65) {
    const id = anyId(random, type.resourceType);
    return { method: "GET", path: pathOf(type), query: { [type.idField]: id } };
  }
  return write(random, type);
}

function pathOf({ resourceType }: RecordType): string {
  return `/v2/${resourceType}`;
}

function requestDeletion(random: Random): Step {
  const type = random.pick(recordTypes.filter(({ deletable }) => deletable === true));
  const id = anyId(random, type.resourceType);
  const reason = "asked for";
  if (random.chance(0.7)) {
    return {
      method: "DELETE",
      path: pathOf(type),
      body: { [type.idField]: id, reason },
      ...keyed(random),
    };
  }
  const body = { resource_type: type.resourceType, resource_id: id, reason };
  return { method: "POST", path: path.deletion, body, ...keyed(random) };
}

function keyed(random: Random): { readonly headers?: Readonly<Record<string, string>> } {
  if (random.chance(0.6)) return {};
  return { headers: { "idempotency-key": random.pick(idempotencyKeys) } };
}

function write(random: Random, type: RecordType): Step {
  const { id, fields, mode } = makeRecord(random, type.resourceType);
  const related = new Set(type.relations.map(({ field }) => field));
  const kept = Object.entries(type.example).filter(([field]) => !related.has(field));
  const whole = { ...Object.fromEntries(kept), ...fields, [type.idField]: id };
  const record = mode === "add" ? whole : { [type.idField]: id, timestamp: fields["timestamp"] };
  const method = mode === "add" ? "POST" : "PUT";
  const body = random.chance(0.1) ? { ...record, unknown_field: 1 } : record;
  if (random.chance(0.2)) {
    const list = `/v2/${type.batchPath ?? type.resourceType}`;
    return { method, path: list, body: [body, record], headers: { prefer: "handling=lenient" } };
  }
  return { method, path: pathOf(type), body, ...keyed(random) };
}
