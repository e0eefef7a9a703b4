// Compares what the status of a deletion says with the signed receipt in it: a status can be edited, a receipt can't.
// Works offline, like the verification of receipts.

import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { DisclosedVerdict } from "./verify-disclosures.ts";

export interface StatusVerdict extends DisclosedVerdict {
  /** Members of the status that nothing in the file proves, such as `erased.person`. */
  readonly unverified: readonly string[];
}

/** What the receipt says about each member of the status. It says nothing about members that are not listed. */
const signed: Readonly<Record<string, (receipt: Receipt) => string>> = {
  deletion_request_id: (receipt) => receipt.deletion_request_id,
  organization_id: (receipt) => receipt.organization_id,
  resource_type: ({ asked }) => asked.resource_type,
  resource_id: ({ asked }) => asked.resource_id,
  reason: ({ asked }) => asked.reason,
  requested_by: ({ asked }) => asked.by,
  requested_at: ({ asked }) => asked.at,
  started_at: (receipt) => receipt.started_at,
  completed_at: (receipt) => receipt.completed_at,
  status: () => "completed",
};

/** `status`: the object that contained the receipt; undefined for a receipt on its own. */
export function addStatus(verdict: DisclosedVerdict, status: unknown): StatusVerdict {
  const { receipt } = verdict;
  if (receipt === undefined || typeof status !== "object" || status === null) {
    return { ...verdict, unverified: [] };
  }
  const members = status as Readonly<Record<string, unknown>>;
  const faults = Object.entries(signed).flatMap(([name, read]) =>
    name in members && members[name] !== read(receipt)
      ? [describe(name, members[name], read(receipt))]
      : [],
  );
  const { erased = {} } = members;
  const counts = isCounts(erased) && "erased" in members ? compareErased(erased, verdict) : [];
  const wrong = counts.flatMap(({ type, stated, proved }) =>
    proved === undefined || proved.some((count) => count === stated)
      ? []
      : [describe(`erased.${type}`, stated, proved.join(" or "))],
  );
  const unproved = counts.filter(({ proved }) => proved === undefined);
  return {
    ...verdict,
    faults: [
      ...verdict.faults,
      ...faults,
      ...wrong,
      ...(isCounts(erased) ? [] : ["The status has no numbers by type in erased."]),
    ],
    unverified: unproved.map(({ type }) => `erased.${type}`),
  };
}

interface StatedCount {
  readonly type: string;
  /** 0 for a type that the status omits. */
  readonly stated: unknown;
  /** Undefined if nothing proves it. A status may count kept records as erased, so there can be two numbers. */
  readonly proved: readonly number[] | undefined;
}

function isCounts(erased: unknown): erased is object {
  return typeof erased === "object" && erased !== null && !Array.isArray(erased);
}

function compareErased(erased: object, { disclosed }: DisclosedVerdict): StatedCount[] {
  const stated = new Map<string, unknown>(Object.entries(erased));
  const proved = new Map(
    Object.entries(disclosed).map(([type, counts]) => [type, erasedOf(counts)] as const),
  );
  return [...new Set([...stated.keys(), ...proved.keys()])].map((type) => ({
    type,
    stated: stated.get(type) ?? 0,
    proved: proved.get(type),
  }));
}

function erasedOf({
  removed,
  kept = 0,
}: DisclosedVerdict["disclosed"][string]): readonly number[] | undefined {
  return removed === undefined ? undefined : [...new Set([removed - kept, removed])];
}

function describe(name: string, stated: unknown, proved: string): string {
  return `The status says that ${name} is ${JSON.stringify(stated)}; the receipt says ${JSON.stringify(proved)}.`;
}
