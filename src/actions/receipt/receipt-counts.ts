// Hashes the numbers of a receipt with their salts, and so the basis of the deletion and the names of the two people of
// an approved one; gives the salts to those who may know them, and verifies what somebody discloses. Works without a
// store.

import { createHmac, hash } from "node:crypto";
import { disclosableKinds, type Reader } from "../../domain/confidentiality.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import {
  type Receipt,
  basisText,
  type DisclosedApproval,
  type DisclosedBasis,
  type DisclosedPerson,
  peopleOf,
  personText,
  type ReceiptApproval,
  receiptPeople,
  type ReceiptPerson,
} from "../../domain/deletion/receipt.ts";
import {
  type CountHashes,
  type CountKind,
  countKinds,
  countsOf,
  countText,
  type DisclosedCount,
  type Disclosures,
  type ReceiptCounts,
  type ReceiptPosition,
  saltCharacters,
  saltText,
  seedText,
} from "../../domain/deletion/receipt-count.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import type { DeletionBasis } from "../../domain/deletion/basis.ts";

/** In the order of canonical JSON, because objects in that order are serialized faster; the kinds too. */
const allTypes = recordTypes.map(({ resourceType }) => resourceType).toSorted();
const kindsInOrder = countKinds.toSorted();

/** `types`: those of an existing receipt. Throws TypeError for a number of another type. */
export function hashCounts(
  counts: ReceiptCounts,
  position: ReceiptPosition,
  { saltKey, types = allTypes }: { readonly saltKey: string; readonly types?: readonly string[] },
): CountHashes {
  const unknown = countKinds.flatMap((kind) =>
    Object.keys(counts[kind]).filter((type) => !types.includes(type)),
  );
  if (unknown.length > 0) throw new TypeError(`no record type ${unknown.join(", ")}`);
  const seed = seedOf(position, saltKey);
  const hashes: Record<ResourceType, Record<CountKind, string>> = {};
  for (const type of types) {
    // Loops, because a receipt has 66 hashes and most of its time is spent here.
    const ofType: Partial<Record<CountKind, string>> = {};
    for (const kind of kindsInOrder) {
      const count = counts[kind][type] ?? 0;
      ofType[kind] = hashOf({ count, salt: saltOf(seed, type, kind) }, type, kind);
    }
    hashes[type] = ofType as Record<CountKind, string>;
  }
  return hashes;
}

export function discloseCounts(
  receipt: Receipt,
  deletion: Deletion,
  { saltKey, reader }: { readonly saltKey: string; readonly reader: Reader },
): Disclosures {
  const counts = countsOf(deletion);
  const seed = seedOf(receipt, saltKey);
  const disclosed = recordTypes.flatMap((type) => {
    const { resourceType } = type;
    const kinds = disclosableKinds(reader, type);
    if (kinds.length === 0 || !Object.hasOwn(receipt.counts, resourceType)) return [];
    const byKind = kinds.map((kind): [CountKind, DisclosedCount] => [
      kind,
      { count: counts[kind][resourceType] ?? 0, salt: saltOf(seed, resourceType, kind) },
    ]);
    return [[resourceType, Object.fromEntries(byKind)] as const];
  });
  return Object.fromEntries(disclosed);
}

export interface DisclosureVerdict {
  /** Numbers that the receipt commits to, such as `2 removed` of `transaction`. */
  readonly disclosed: Readonly<Record<ResourceType, Readonly<Partial<Record<CountKind, number>>>>>;
  /** Types of which at least one number is not disclosed. */
  readonly undisclosed: readonly ResourceType[];
  readonly faults: readonly string[];
}

export function verifyDisclosures(
  receipt: Receipt,
  documents: readonly unknown[],
): DisclosureVerdict {
  const verified = new Map<ResourceType, Partial<Record<CountKind, number>>>();
  const faults: string[] = [];
  for (const [type, kind, value] of documents.flatMap((one) => listDisclosures(one, faults))) {
    const hashes = Object.hasOwn(receipt.counts, type) ? receipt.counts[type] : undefined;
    const expected = hashes && Object.hasOwn(hashes, kind) ? hashes[kind] : undefined;
    if (expected === undefined) {
      faults.push(`The receipt has no number "${kind}" of "${type}", but one is disclosed.`);
      continue;
    }
    const fault = findFault(value, (shown) => hashOf(shown, type, kind) === expected);
    if (fault !== undefined) {
      faults.push(`The disclosed number "${kind}" of ${type} ${fault}.`);
    } else {
      const numbers = verified.get(type) ?? {};
      verified.set(type, { ...numbers, [kind]: (value as DisclosedCount).count });
    }
  }
  const undisclosed = Object.entries(receipt.counts).flatMap(([type, hashes]) => {
    const numbers = verified.get(type) ?? {};
    return Object.keys(hashes).every((kind) => Object.hasOwn(numbers, kind)) ? [] : [type];
  });
  return { disclosed: Object.fromEntries(verified), undisclosed, faults };
}

type Listed = readonly [type: ResourceType, kind: CountKind, value: unknown];

function listDisclosures(disclosure: unknown, faults: string[]): readonly Listed[] {
  if (!isJsonObject(disclosure)) {
    faults.push("The disclosures are not an object with record types.");
    return [];
  }
  return Object.entries(disclosure).flatMap(([type, kinds]) => {
    if (isJsonObject(kinds)) {
      return Object.entries(kinds).map(([kind, value]): Listed => [type, kind as CountKind, value]);
    }
    faults.push(`The disclosures of "${type}" are not an object with kinds of numbers.`);
    return [];
  });
}

function findFault(
  value: unknown,
  isCommitted: (shown: DisclosedCount) => boolean,
): string | undefined {
  if (!isJsonObject(value)) return "is not an object with count and salt";
  const { count, salt } = value;
  if (salt === undefined) return "has no salt";
  if (typeof salt !== "string") return "has a salt that is not text";
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) {
    return "has a count that is not a whole number";
  }
  return isCommitted({ count, salt })
    ? undefined
    : "does not match the receipt: the count or the salt is wrong";
}

function seedOf(position: ReceiptPosition, saltKey: string): string {
  // The text itself is the key, so that no altered text has the same effect.
  return createHmac("sha256", saltKey).update(seedText(position)).digest("hex");
}

function saltOf(seed: string, type: string, kind: string): string {
  return hash("sha256", saltText(seed, type, kind), "base64url").slice(0, saltCharacters);
}

function hashOf(shown: DisclosedCount, type: ResourceType, kind: CountKind): string {
  return hash("sha256", countText(shown, type, kind), "base64url");
}

export function hashApproval(
  deletion: Deletion,
  position: ReceiptPosition,
  saltKey: string,
): ReceiptApproval | undefined {
  const people = peopleOf(deletion);
  if (people === undefined) return undefined;
  const shown = saltPeople(people, position, saltKey);
  return {
    approved_at: new Date(people.approvedAt).toISOString(),
    approver: hashPerson(shown.approver, "approver"),
    requester: hashPerson(shown.requester, "requester"),
  };
}

export function hashBasis(
  { basis }: Pick<Deletion, "basis">,
  position: ReceiptPosition,
  saltKey: string,
): string | undefined {
  return basis && hash("sha256", basisText(saltBasis(basis, position, saltKey)), "base64url");
}

export interface DisclosedStatements {
  readonly disclosed_approval?: DisclosedApproval;
  readonly disclosed_basis?: DisclosedBasis;
}

export function discloseStatements(
  receipt: Receipt,
  deletion: Deletion,
  saltKey: string,
): DisclosedStatements {
  const people = receipt.approval && peopleOf(deletion);
  const basis = receipt.asked.basis && deletion.basis;
  return {
    ...(people && { disclosed_approval: saltPeople(people, receipt, saltKey) }),
    ...(basis && { disclosed_basis: saltBasis(basis, receipt, saltKey) }),
  };
}

/** No record type is called basis, so nothing else has this salt. */
function saltBasis(
  basis: DeletionBasis,
  position: ReceiptPosition,
  saltKey: string,
): DisclosedBasis {
  return { basis, salt: saltOf(seedOf(position, saltKey), "basis", "basis") };
}

/** No record type is called approval, so nothing else has these salts. */
function saltPeople(
  people: Readonly<Record<ReceiptPerson, string>>,
  position: ReceiptPosition,
  saltKey: string,
): DisclosedApproval {
  const seed = seedOf(position, saltKey);
  const show = (person: ReceiptPerson): DisclosedPerson => ({
    name: people[person],
    salt: saltOf(seed, "approval", person),
  });
  return { requester: show("requester"), approver: show("approver") };
}

/** Returns a sentence for each person, and for the basis, that JSON claims to disclose and that does not match. */
export function findStatedFaults(
  receipt: Receipt,
  disclosed: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [
    ...findApprovalFaults(receipt, disclosed["disclosed_approval"]),
    ...findBasisFaults(receipt, disclosed["disclosed_basis"]),
  ];
}

function findBasisFaults({ asked }: Receipt, disclosed: unknown): readonly string[] {
  if (disclosed === undefined) return [];
  if (asked.basis === undefined) return ["A basis is disclosed, but the receipt has none."];
  const shown = disclosed as DisclosedBasis | null;
  if (shown !== null && hash("sha256", basisText(shown), "base64url") === asked.basis) return [];
  return ["The disclosed basis does not match the receipt: the basis or the salt is wrong."];
}

function findApprovalFaults({ approval }: Receipt, disclosed: unknown): readonly string[] {
  if (disclosed === undefined) return [];
  if (approval === undefined) return ["People are disclosed, but the receipt names nobody."];
  const people = Object.entries(disclosed ?? {}) as readonly [ReceiptPerson, unknown][];
  return people.flatMap(([person, shown]) => {
    if (!receiptPeople.includes(person)) return [`The receipt has no "${person}".`];
    if (isPerson(shown) && hashPerson(shown, person) === approval[person]) return [];
    return [`The disclosed ${person} does not match the receipt: the name or the salt is wrong.`];
  });
}

function isPerson(value: unknown): value is DisclosedPerson {
  const { name, salt } = (value ?? {}) as { readonly name?: unknown; readonly salt?: unknown };
  return typeof name === "string" && typeof salt === "string";
}

function hashPerson(shown: DisclosedPerson, person: ReceiptPerson): string {
  return hash("sha256", personText(shown, person), "base64url");
}
