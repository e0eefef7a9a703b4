// Verifies disclosed numbers with the receipts that commit to them. Works offline: uses neither the store nor the
// network.

import type { Receipt } from "../../domain/deletion/receipt.ts";
import { findStatedFaults } from "./receipt-approval.ts";
import { type DisclosureVerdict, verifyDisclosures } from "./receipt-counts.ts";
import type { ReceiptVerdict } from "./verify-receipt.ts";

/** JSON that claims to be disclosures, and where it was found. */
export interface GivenDisclosures {
  /** Such as `disclosures.json, line 2`. */
  readonly name: string;
  readonly value: unknown;
}

export interface DisclosedVerdict extends ReceiptVerdict, Omit<DisclosureVerdict, "faults"> {}

export interface VerifiedDisclosures {
  readonly verdicts: readonly DisclosedVerdict[];
  /** A sentence for each disclosure that belongs to none of the receipts. */
  readonly faults: readonly string[];
}

export function addDisclosures(
  verdicts: readonly ReceiptVerdict[],
  given: readonly GivenDisclosures[],
): VerifiedDisclosures {
  const used = new Set<GivenDisclosures>();
  const all = verdicts.map((verdict): DisclosedVerdict => {
    const { receipt } = verdict;
    if (receipt === undefined) return { ...verdict, disclosed: {}, undisclosed: [] };
    const mine = given.filter(({ value }) => isOf(value, receipt));
    for (const one of mine) used.add(one);
    const disclosures = mine.map(({ value }) => membersOf(value)["disclosures"]);
    const { faults, ...found } = verifyDisclosures(receipt, disclosures);
    const stated = mine.flatMap(({ value }) => findStatedFaults(receipt, membersOf(value)));
    return { ...verdict, ...found, faults: [...verdict.faults, ...faults, ...stated] };
  });
  const faults = given.filter((one) => !used.has(one)).map(describeUnused);
  return { verdicts: all, faults };
}

/** A replay after a restore has its own receipt, so the receipt number has to match too, if there is one. */
function isOf(value: unknown, receipt: Receipt): boolean {
  const { deletion_request_id: id, receipt_no: no, disclosures } = membersOf(value);
  const isSame =
    id === receipt.deletion_request_id && (no ?? receipt.receipt_no) === receipt.receipt_no;
  return isSame && disclosures !== undefined;
}

function describeUnused({ name, value }: GivenDisclosures): string {
  const { deletion_request_id: id, receipt_no: no, disclosures } = membersOf(value);
  if (typeof id !== "string" || disclosures === undefined) {
    return `${name} is not {"deletion_request_id", "receipt_no", "disclosures"}.`;
  }
  const number = typeof no === "number" ? ` number ${no}` : "";
  return `${name} is of the deletion ${id}; its receipt${number} is not among those to verify.`;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
