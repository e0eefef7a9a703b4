// Hashes the names of the two people of an approved deletion for its receipt, gives the names with their salts to those
// who may see its status, and verifies names that somebody discloses. Works without a store.

import { hash } from "node:crypto";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import {
  type Receipt,
  type DisclosedApproval,
  type DisclosedPerson,
  peopleOf,
  personText,
  type ReceiptApproval,
  receiptPeople,
  type ReceiptPerson,
} from "../../domain/deletion/receipt.ts";
import type { ReceiptPosition } from "../../domain/deletion/receipt-count.ts";
import { saltOf, seedOf } from "./receipt-counts.ts";

/** Undefined for a deletion that needed no approval. */
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

/** Undefined for a receipt without names, such as a receipt from before this feature. */
export function discloseApproval(
  receipt: Receipt,
  deletion: Deletion,
  saltKey: string,
): DisclosedApproval | undefined {
  const people = receipt.approval && peopleOf(deletion);
  return people && saltPeople(people, receipt, saltKey);
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

/** Returns a sentence for each person of JSON that claims to disclose them and does not match the receipt. */
export function findApprovalFaults({ approval }: Receipt, given: unknown): readonly string[] {
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
