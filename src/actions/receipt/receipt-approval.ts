// Hashes the basis of a deletion and the names of the two people of an approved one for its receipt, gives them with
// their salts to those who may see its status, and verifies what somebody discloses of them. Works without a store.

import { hash } from "node:crypto";
import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import {
  basisText,
  type Receipt,
  type DisclosedApproval,
  type DisclosedBasis,
  type DisclosedPerson,
  peopleOf,
  personText,
  type ReceiptApproval,
  receiptPeople,
  type ReceiptPerson,
} from "../../domain/deletion/receipt.ts";
import type { ReceiptPosition } from "../../domain/deletion/receipt-count.ts";
import { saltOf, seedOf } from "./receipt-counts.ts";

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
    approver: hashOf(shown.approver, "approver"),
    requester: hashOf(shown.requester, "requester"),
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
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [
    ...findApprovalFaults(receipt, given["disclosed_approval"]),
    ...findBasisFaults(receipt, given["disclosed_basis"]),
  ];
}

function findBasisFaults({ asked }: Receipt, given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (asked.basis === undefined) return ["A basis is disclosed, but the receipt has none."];
  const shown = given as DisclosedBasis | null;
  if (shown !== null && hash("sha256", basisText(shown), "base64url") === asked.basis) return [];
  return ["The disclosed basis does not match the receipt: the basis or the salt is wrong."];
}

function findApprovalFaults({ approval }: Receipt, given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (approval === undefined) return ["People are disclosed, but the receipt names nobody."];
  const people = Object.entries(given ?? {}) as readonly [ReceiptPerson, unknown][];
  return people.flatMap(([person, shown]) => {
    if (!receiptPeople.includes(person)) return [`The receipt has no "${person}".`];
    if (isPerson(shown) && hashOf(shown, person) === approval[person]) return [];
    return [`The disclosed ${person} does not match the receipt: the name or the salt is wrong.`];
  });
}

function isPerson(value: unknown): value is DisclosedPerson {
  const { name, salt } = (value ?? {}) as { readonly name?: unknown; readonly salt?: unknown };
  return typeof name === "string" && typeof salt === "string";
}

function hashOf(shown: DisclosedPerson, person: ReceiptPerson): string {
  return hash("sha256", personText(shown, person), "base64url");
}
