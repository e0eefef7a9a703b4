// Verifies what the status of a deletion says beside its receipt: each member is compared with what proves it, or named
// as not verified. Works offline.

import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { chainedText, type Receipt } from "../../domain/deletion/receipt.ts";
import { isStatement, type RecipientStatement } from "../../domain/deletion/recipient-statement.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import {
  type DisclosureVerdict,
  findStatedFaults,
  verifyDisclosures,
} from "../../actions/receipt/receipt-counts.ts";
import type { PublishedKeys } from "../../actions/receipt/receipt-keys.ts";
import { findSignatureFaults, signedDocument } from "../../actions/receipt/verify-receipt.ts";

export interface StatusVerdict extends DisclosureVerdict {
  /** Members of the status that nothing in the file proves, such as `erased.person`. */
  readonly unverified: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;
type Verdict = Pick<StatusVerdict, "faults" | "unverified">;

export function membersOf(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}

/** More than any status has: comparing it would delay others where a server does it. */
const membersMax = 1_000;
const tooMany = `The status has more than ${membersMax} members in one place, so it was not made by a service.`;

function hasTooMany(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > membersMax;
}

interface Proofs {
  readonly published: PublishedKeys;
  /** What discloses more of the receipt than the status does, in the same members. */
  readonly disclosing?: readonly Members[];
}

/** `status`: the object that contained the receipt; undefined for a receipt on its own. */
export function verifyStatus(
  receipt: Receipt,
  status: unknown,
  { published, disclosing: others = [] }: Proofs,
): StatusVerdict {
  const large = [status, ...Object.values(membersOf(status))].some(hasTooMany);
  if (large) return { disclosed: {}, undisclosed: [], unverified: [], faults: [tooMany] };
  const members = membersOf(status);
  const disclosing = [members, ...others];
  const disclosures = disclosing.map((one) => one["disclosures"]);
  const { faults, ...numbers } = verifyDisclosures(
    receipt,
    disclosures.filter((one) => one !== undefined),
  );
  const parts: readonly Verdict[] = [
    compareMembers(receipt, members),
    compareErased(members, numbers.disclosed),
    verifyRecipients(receipt, members, published),
  ];
  return {
    ...numbers,
    faults: [
      ...faults,
      ...disclosing.flatMap((one) => findStatedFaults(receipt, one)),
      ...parts.flatMap((part) => part.faults),
    ],
    unverified: parts.flatMap((part) => part.unverified),
  };
}

/** What has to be in a member of the status; undefined if nothing in the file proves it, null if it can't be there. */
const proved: Readonly<
  Record<string, (receipt: Receipt, members: Members) => string | null | undefined>
> = {
  deletion_request_id: (receipt) => receipt.deletion_request_id,
  organization_id: (receipt) => receipt.organization_id,
  resource_type: ({ asked }) => asked.resource_type,
  resource_id: ({ asked }) => asked.resource_id,
  reason: ({ asked }) => asked.reason,
  basis: ({ asked }, { disclosed_basis: disclosed }) =>
    asked.basis === undefined ? null : (membersOf(disclosed)["basis"] as string | undefined),
  requested_by: ({ asked }) => asked.by,
  requested_at: ({ asked }) => asked.at,
  started_at: (receipt) => receipt.started_at,
  completed_at: (receipt) => receipt.completed_at,
  status: () => "completed",
};

/** Members that are verified by themselves. */
const provedApart: ReadonlySet<string> = new Set([
  "receipt",
  "erased",
  "disclosures",
  "disclosed_approval",
  "disclosed_basis",
  "recipients",
  "statement",
]);

function compareMembers(receipt: Receipt, members: Members): Verdict {
  const faults: string[] = [];
  const unverified: string[] = [];
  for (const [name, value] of Object.entries(members)) {
    if (provedApart.has(name)) continue;
    const expected = Object.hasOwn(proved, name) ? proved[name]?.(receipt, members) : undefined;
    if (expected === undefined) unverified.push(name);
    else if (value !== expected) faults.push(describe(name, value, expected));
  }
  return { faults, unverified };
}

/** The statement is signed, and names the receipt and the recipients. */
function verifyRecipients(
  receipt: Receipt,
  { statement, recipients }: Members,
  published: PublishedKeys,
): Verdict {
  if (statement === undefined) {
    return { faults: [], unverified: recipients === undefined ? [] : ["recipients"] };
  }
  if (!isStatement(statement)) {
    return { faults: ["The statement in the status has other members than one."], unverified: [] };
  }
  const faults = findSignatureFaults("The statement", signedDocument(statement), published);
  const isOfReceipt = statement.receipt_hash === hash("sha256", chainedText(receipt));
  const listed: readonly unknown[] = Array.isArray(recipients) ? recipients : [];
  const { isSame, removed } = compareRecipients(listed.map(membersOf), statement);
  return {
    faults: [
      ...faults,
      ...(isOfReceipt ? [] : ["The statement in the status is of another receipt."]),
      ...(isSame ? [] : ["The status names other recipients than its statement, or other times."]),
    ],
    unverified: removed === 0 ? [] : ["recipients that were removed"],
  };
}

function compareRecipients(
  listed: readonly Members[],
  statement: RecipientStatement,
): { readonly isSame: boolean; readonly removed: number } {
  const left = listed.filter((one) => one["removed_at"] === undefined);
  const stated = left.map(({ name, told_at, acknowledged_at }) => {
    return { name, told_at, acknowledged_at };
  });
  const isSame = isDeepStrictEqual(stated, statement.recipients);
  return { isSame, removed: listed.length - left.length };
}

/** A status omits types of which it counts 0. It may count kept records as erased, so two numbers can be right. */
function compareErased(members: Members, disclosed: DisclosureVerdict["disclosed"]): Verdict {
  if (members["erased"] === undefined) return { faults: [], unverified: [] };
  if (!isJsonObject(members["erased"])) {
    return { faults: ["The status has no numbers by type in erased."], unverified: [] };
  }
  const stated = new Map<string, unknown>(Object.entries(members["erased"]));
  const known = new Map(Object.entries(disclosed));
  const faults: string[] = [];
  const unverified: string[] = [];
  for (const type of new Set([...stated.keys(), ...known.keys()])) {
    const { removed, kept = 0 } = known.get(type) ?? {};
    const count = stated.get(type) ?? 0;
    if (removed === undefined) unverified.push(`erased.${type}`);
    else if (count !== removed && count !== removed - kept) {
      const right = [...new Set([removed - kept, removed])].join(" or ");
      faults.push(describe(`erased.${type}`, count, right));
    }
  }
  return { faults, unverified };
}

function describe(name: string, stated: unknown, expected: string | null): string {
  const says = expected === null ? "has none" : `says ${JSON.stringify(expected)}`;
  return `The status says that ${name} is ${JSON.stringify(stated)}; the receipt ${says}.`;
}
