// The receipt of a deletion: a document of the request and its result, chained to the previous receipt. Signed and
// verified elsewhere. Never contains content of a record.

import { canonicalJson } from "../json/canonical-json.ts";
import type { DeletionBasis } from "./basis.ts";
import type { Deletion } from "./deletion.ts";
import * as field from "./document-form.ts";
import { isOfOrganization } from "./organization-deletion.ts";
import { type CountHashes, countKinds, type ReceiptPosition } from "./receipt-count.ts";
import { isJsonObject, type JsonObject } from "../schema/schema-shape.ts";
import { recordTypeByName } from "../record-types.ts";

export const receiptType = "sluice-deletion-receipt";
export const receiptVersion = 2;

/** The previous hash of the first receipt of a store. */
export const noReceiptHash = "0".repeat(64);

/** The number of a receipt that is in no chain. */
export const aloneNo = 0;

/** For each type and kind, whether or not there were any. A version with more of them can be verified, too. */
const countHashes: field.Field<CountHashes> = {
  test: (value) =>
    isMap(
      value,
      (hashes) =>
        isMap(hashes, field.hashed("").test) &&
        countKinds.every((kind) => Object.hasOwn(hashes, kind)),
    ),
  expected: `an object with the hashes ${countKinds.join(", ")} for each type`,
  schema: {
    type: "object",
    description: "A salted hash instead of each number, by type, also where there were none.",
  },
  items: { ...field.text("Hashes."), component: "ReceiptCountHashes" },
};

function isMap(value: unknown, test: field.Field["test"]): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.entries(value).every(([name, of]) => /^[a-z_]+$/.test(name) && test(of))
  );
}

/** Times are RFC 3339 in UTC; hashes are SHA-256. */
export const receiptForm = {
  type: field.constant(receiptType, "What this document is."),
  version: field.constant(receiptVersion, "Version of the format."),
  store_id: field.text("Identifies the store, and so the chain."),
  receipt_no: field.wholeNumber(
    "Position in the chain of receipts of the store; 0 for one that is in no chain.",
  ),
  previous_receipt: field.hex("SHA-256 of the receipt before it, in hex; zeros in the first."),
  organization_id: field.text("Organization that the record belonged to."),
  deletion_request_id: field.text("Unique identifier of the deletion request."),
  asked: field.object(
    {
      resource_type: field.text("Type of the record."),
      resource_id: field.text("Unique identifier of the record."),
      reason: field.text("Reason for deletion, as given."),
      basis: field.optional(
        field.hashed(
          'Only if the request stated a basis: the SHA-256 of `["sluice-receipt-basis",salt,basis]`, base64url.',
        ),
      ),
      by: field.text("Id of the API key that requested it, `operator` or `retention`."),
      at: field.time("When it was requested."),
    },
    "The deletion request.",
  ),
  approval: field.optional({
    ...field.object(
      {
        requester: field.hashed("Hash of the name or key id of who requested it."),
        approver: field.hashed("Hash of the name of who approved it."),
        approved_at: field.time("When it was approved."),
      },
      "Only if a second person had to approve the deletion: who asked and who approved, each as the SHA-256 of " +
        '`["sluice-receipt-person",salt,"requester" or "approver",name]`, base64url.',
    ),
    component: "ReceiptApproval",
  }),
  started_at: field.time("When the erasure began."),
  completed_at: field.time("When it was completed and verified."),
  counts: countHashes,
  verification: field.object(
    {
      at: field.time("When."),
      engine: field.oneOf(["sqlite", "postgres"], "Engine of the store."),
      looked_at: field.listOf(field.text("Such as records."), "What was checked and found empty."),
      bytes: field.text("What had happened to the bytes at that time."),
    },
    "How the service verified that nothing is left.",
  ),
  carried_out_again: field.optional(
    field.object(
      {
        because: field.oneOf(["restore"], "Why."),
        completed_at: field.nullable(field.time("When it was first completed.")),
        receipt_no: field.nullable(field.wholeNumber("The number of that receipt.")),
        receipt: field.nullable(field.hex("Its SHA-256.")),
      },
      "Only after a restore: the receipt that the deletion had before.",
    ),
  ),
  key_id: field.text("Thumbprint (RFC 7638) of the public key."),
  signature: field.signature("Ed25519 over the canonical JSON of everything else, base64url."),
};

export type Receipt = field.DocumentOf<typeof receiptForm>;

/** Everything that is signed. */
export type ReceiptBody = Omit<Receipt, "signature">;

export type Verification = Receipt["verification"];

/** Returns a sentence for each error; none if the value is a receipt. */
export function findReceiptFaults(value: unknown): readonly string[] {
  const faults = field.findFormFaults(value, receiptForm, { what: "a receipt" });
  if (faults.length > 0) return faults;
  const { receipt_no: no, previous_receipt: previous } = value as Receipt;
  if ((no !== 1 && no !== aloneNo) || previous === noReceiptHash) return [];
  return ["It is the first receipt of its chain or in none, and yet it names one before it."];
}

export function isReceipt(value: unknown): value is Receipt {
  return findReceiptFaults(value).length === 0;
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

export type ReceiptApproval = NonNullable<Receipt["approval"]>;

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
