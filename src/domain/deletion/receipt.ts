// The receipt of a deletion: a document of the request and its result, chained to the previous receipt. Signed and
// verified elsewhere. Never contains content of a record.

import { canonicalJson } from "../json/canonical-json.ts";
import type { DeletionBasis } from "./basis.ts";
import type { ProcessedBefore, Deletion } from "./deletion.ts";
import { isOfOrganization } from "./organization-deletion.ts";
import type { CountHashes, ReceiptPosition } from "./receipt-count.ts";
import type { ResourceType } from "../record-type.ts";
import { recordTypeByName } from "../record-types.ts";

export const receiptType = "sluice-deletion-receipt";
export const receiptVersion = 2;

/** The previous hash of the first receipt of a store. */
export const noReceiptHash = "0".repeat(64);

/** Everything that is signed. Times are RFC 3339 in UTC; hashes are SHA-256 in hex. */
export interface ReceiptBody extends ReceiptPosition {
  readonly type: typeof receiptType;
  readonly version: typeof receiptVersion;
  readonly organization_id: string;
  readonly asked: {
    readonly resource_type: ResourceType;
    readonly resource_id: string;
    readonly reason: string;
    /** The hash of the basis; present only if the request stated one. */
    readonly basis?: string;
    /** The id of the API key, "operator" or "retention". */
    readonly by: string;
    readonly at: string;
  };
  /** Present only if a second person has approved the deletion. */
  readonly approval?: ReceiptApproval;
  readonly started_at: string;
  /** The hashes of the numbers of every type and kind, whether or not there were any. */
  readonly counts: CountHashes;
  readonly verification: Verification;
  /** Present only if the deletion had been completed before and restoring a backup undid it. */
  readonly carried_out_again?: ProcessedBefore;
  readonly key_id: string;
}

export interface Receipt extends ReceiptBody {
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

export interface Verification {
  readonly at: string;
  readonly engine: "sqlite" | "postgres";
  /** What was verified to be empty. */
  readonly looked_at: readonly string[];
  readonly bytes: string;
}

/** A public key, as stored and published. Times are Unix milliseconds. */
export interface ReceiptKey {
  /** The JWK thumbprint (RFC 7638). */
  readonly keyId: string;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  readonly createdAt: number;
  /** When the key was retired: from then on nothing is signed with it. */
  readonly retiredAt: number | undefined;
}

/** The number of a receipt that is in no chain. */
export const aloneNo = 0;

/**
 * Whether the receipt is in the chain, as the receipts of records that callers can delete are. Gaps in the numbers of
 * the chain would disclose other receipts: those of restricted sets and closed organizations, and of types that are or
 * can be confidential. The audit entry of such a completion has the hash of its receipt.
 */
export function isChained({ resourceType }: Pick<Deletion, "resourceType">): boolean {
  return recordTypeByName(resourceType)?.deletable === true;
}

/** The end of a store's chain of receipts, which the next one follows. */
export interface ReceiptHead {
  readonly storeId: string;
  readonly receiptNo: number;
  readonly hash: string;
}

/** Everything that the next receipt depends on. */
export interface SealingHead extends ReceiptHead {
  /** 256 bits in hex, from which the salts of receipts are derived. */
  readonly saltKey: string;
}

export interface ReceiptContext {
  readonly head: ReceiptHead;
  readonly engine: Pick<Verification, "engine" | "bytes">;
  readonly keyId: string;
  readonly hashCounts: (position: ReceiptPosition) => CountHashes;
  readonly hashApproval: (position: ReceiptPosition) => ReceiptApproval | undefined;
  readonly hashBasis: (position: ReceiptPosition) => string | undefined;
}

/** Makes what is signed for a deletion that is being completed; its completedAt must be set. */
export function makeReceiptBody(deletion: Deletion, context: ReceiptContext): ReceiptBody {
  const { completedAt, startedAt, processedBefore } = deletion;
  if (completedAt === undefined) throw new TypeError("a receipt is for a completed deletion");
  const { head, engine, keyId, hashCounts, hashApproval, hashBasis } = context;
  const position: ReceiptPosition = {
    store_id: head.storeId,
    ...(isChained(deletion)
      ? { receipt_no: head.receiptNo + 1, previous_receipt: head.hash }
      : { receipt_no: aloneNo, previous_receipt: noReceiptHash }),
    deletion_request_id: deletion.deletionRequestId,
    completed_at: formatInstant(completedAt),
  };
  const approval = hashApproval(position);
  const basis = hashBasis(position);
  return {
    type: receiptType,
    version: receiptVersion,
    ...position,
    organization_id: deletion.organizationId,
    asked: {
      resource_type: deletion.resourceType,
      resource_id: deletion.resourceId,
      reason: deletion.reason,
      ...(basis === undefined ? {} : { basis }),
      by: deletion.requestedBy,
      at: formatInstant(deletion.requestedAt),
    },
    ...(approval === undefined ? {} : { approval }),
    started_at: formatInstant(startedAt ?? completedAt),
    counts: hashCounts(position),
    verification: verificationBy(engine, deletion, completedAt),
    ...(processedBefore === undefined ? {} : { carried_out_again: processedBefore }),
    key_id: keyId,
  };
}

export type ReceiptPlace = ReturnType<typeof placeOf>;

export function placeOf(body: ReceiptBody) {
  const { store_id, receipt_no, previous_receipt, organization_id, deletion_request_id } = body;
  return { store_id, receipt_no, previous_receipt, organization_id, deletion_request_id } as const;
}

/** The text whose SHA-256 is in the next receipt. */
export function chainedText(receipt: Receipt): string {
  return canonicalJson(receipt);
}

const verifiedParts = [
  "records",
  "changes",
  "relations",
  "references in records that stay",
] as const;

/** What is verified for an organization, of which no record stays. */
const verifiedPartsOfOrganization = ["records", "changes", "relations", "stored replies"] as const;

function verificationBy(
  { engine, bytes }: ReceiptContext["engine"],
  deletion: Deletion,
  at: number,
): Verification {
  const looked_at = isOfOrganization(deletion) ? verifiedPartsOfOrganization : verifiedParts;
  return { at: formatInstant(at), engine, looked_at, bytes };
}

function formatInstant(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

export const receiptPeople = ["requester", "approver"] as const;
export type ReceiptPerson = (typeof receiptPeople)[number];

/** In a receipt: the hashes, base64url, and when the deletion was approved. */
export type ReceiptApproval = Readonly<Record<ReceiptPerson, string>> & {
  readonly approved_at: string;
};

export interface DisclosedPerson {
  readonly name: string;
  readonly salt: string;
}

export type DisclosedApproval = Readonly<Record<ReceiptPerson, DisclosedPerson>>;

interface ApprovalPeople extends Readonly<Record<ReceiptPerson, string>> {
  readonly approvedAt: number;
}

/** Undefined for a deletion that needed no approval, or whose replay needed none. */
export function peopleOf({ approval }: Pick<Deletion, "approval">): ApprovalPeople | undefined {
  const { requester, approvedBy, approvedAt } = approval ?? {};
  if (requester === undefined || approvedBy === undefined || approvedAt === undefined) {
    return undefined;
  }
  return { requester, approver: approvedBy, approvedAt };
}

export function personText({ name, salt }: DisclosedPerson, person: ReceiptPerson): string {
  return JSON.stringify(["sluice-receipt-person", salt, person, name]);
}

export interface DisclosedBasis {
  readonly basis: DeletionBasis;
  readonly salt: string;
}

export function basisText({ basis, salt }: DisclosedBasis): string {
  return JSON.stringify(["sluice-receipt-basis", salt, basis]);
}
