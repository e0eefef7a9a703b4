// The two people of an approved deletion, to whom its receipt commits without naming them, and the texts whose hashes
// are in the receipt: canonical JSON of a list of text. Hashes nothing itself.

import type { Deletion } from "./deletion.ts";

export const receiptPeople = ["requester", "approver"] as const;
export type ReceiptPerson = (typeof receiptPeople)[number];

/** In a receipt: the hashes, base64url, and when the deletion was approved. */
export type ReceiptApproval = Readonly<Record<ReceiptPerson, string>> & {
  readonly approved_at: string;
};

/** A name and the salt of its hash. */
export interface DisclosedPerson {
  readonly name: string;
  readonly salt: string;
}

export type DisclosedApproval = Readonly<Record<ReceiptPerson, DisclosedPerson>>;

/** Undefined for a deletion that needed no approval, or whose replay needed none. */
export function peopleOf({
  approval,
}: Pick<Deletion, "approval">):
  (Readonly<Record<ReceiptPerson, string>> & { readonly approvedAt: number }) | undefined {
  const { requester, approvedBy, approvedAt } = approval ?? {};
  if (requester === undefined || approvedBy === undefined || approvedAt === undefined) {
    return undefined;
  }
  return { requester, approver: approvedBy, approvedAt };
}

/** Returns a text whose hash is in the receipt. */
export function personText({ name, salt }: DisclosedPerson, person: ReceiptPerson): string {
  return JSON.stringify(["sluice-receipt-person", salt, person, name]);
}
