// The numbers that a receipt commits to without containing them. A commitment is the hash of a text with the number
// and a salt, and the salt is the hash of another text; this file makes both texts, and hashes nothing itself.
// Decision 0046 explains them. The texts are canonical JSON (RFC 8785) of lists of text and whole numbers; the names
// of types and kinds need no escaping.

import type { ResourceType } from "../record-type.ts";
import type { Deletion, ErasedCounts } from "./deletion.ts";

/**
 * The kinds of numbers. removed: records that the organization no longer has. kept: how many of these an obligation
 * keeps in the restricted store; the others are erased. references_removed: references that were removed from records
 * of the type that stay.
 */
export const countKinds = ["removed", "kept", "references_removed"] as const;
export type CountKind = (typeof countKinds)[number];

/** For each kind, the number of records of each type; types without any are omitted. */
export type ReceiptCounts = Readonly<Record<CountKind, ErasedCounts>>;

export type ByTypeAndKind<Value> = Readonly<
  Record<ResourceType, Readonly<Record<CountKind, Value>>>
>;

/** The hashes in a receipt: base64url, without padding. */
export type CountHashes = ByTypeAndKind<string>;

export interface DisclosedCount {
  readonly count: number;
  readonly salt: string;
}

/** The numbers that a reader may know. */
export type Disclosures = Readonly<
  Record<ResourceType, Readonly<Partial<Record<CountKind, DisclosedCount>>>>
>;

export function countsOf({
  erased,
  kept,
  redactedByType,
}: Pick<Deletion, "erased" | "kept" | "redactedByType">): ReceiptCounts {
  return { removed: sumOf(erased, kept), kept, references_removed: redactedByType };
}

function sumOf(one: ErasedCounts, other: ErasedCounts): ErasedCounts {
  const types = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...types].map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)]),
  );
}

/** The fields of a receipt that together are unique. */
export interface ReceiptPosition {
  /** Identifies the store, so that receipts of two services are never mistaken for one chain. */
  readonly store_id: string;
  /** Counts up from 1 in each store; 0 for a receipt that is in no chain. */
  readonly receipt_no: number;
  readonly previous_receipt: string;
  readonly deletion_request_id: string;
  readonly completed_at: string;
}

/** The HMAC of this text under the salt key is the seed of the salts of a receipt. */
export function seedText(position: ReceiptPosition): string {
  const { store_id, receipt_no, previous_receipt, deletion_request_id, completed_at } = position;
  return JSON.stringify([
    "sluice-receipt-seed",
    store_id,
    receipt_no,
    previous_receipt,
    deletion_request_id,
    completed_at,
  ]);
}

/** Characters of base64url, 132 bits. */
export const saltCharacters = 22;

/** Returns a text; the first characters of its hash are the salt. The seed is hexadecimal. */
export function saltText(seed: string, type: string, kind: string): string {
  return `["sluice-receipt-salt","${seed}","${type}","${kind}"]`;
}

export function countText(
  { count, salt }: DisclosedCount,
  type: ResourceType,
  kind: CountKind,
): string {
  return `["sluice-receipt-count",${JSON.stringify(salt)},"${type}","${kind}",${count}]`;
}
