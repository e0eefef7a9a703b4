// The receipt of a deletion: a small document that says what was asked and what came of it, tied to the receipt before it.
// What it is made of and how it has to look; signed and checked elsewhere. Never holds content of a record.

import { canonicalJson } from "../json/canonical-json.ts";
import type { CarriedOutBefore, Deletion, ErasedCounts } from "./deletion.ts";
import type { ResourceType } from "../record-type.ts";

export const receiptType = "sluice-deletion-receipt";
export const receiptVersion = 1;

/** What the first receipt of a store has for the hash of the one before. */
export const noReceiptHash = "0".repeat(64);

/** Everything that is signed. Times are RFC 3339 in UTC; hashes are SHA-256 in hex. */
export interface ReceiptBody {
  readonly type: typeof receiptType;
  readonly version: number;
  /** Names the store, so that receipts of two services are never taken for one chain. */
  readonly store_id: string;
  /** Counts up from 1 in each store. */
  readonly receipt_no: number;
  readonly previous_receipt: string;
  readonly organization_id: string;
  readonly deletion_request_id: string;
  readonly asked: {
    readonly resource_type: ResourceType;
    readonly resource_id: string;
    readonly reason: string;
    /** The id of the API key, "operator" or "retention". */
    readonly by: string;
    readonly at: string;
  };
  readonly started_at: string;
  readonly completed_at: string;
  /** Records by type. */
  readonly erased: ErasedCounts;
  readonly references_removed: number;
  readonly verification: Verification;
  /** Only on a receipt for a deletion that had been completed before, and was undone by restoring a backup. */
  readonly carried_out_again?: CarriedOutBefore;
  readonly key_id: string;
}

export interface Receipt extends ReceiptBody {
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

export interface Verification {
  readonly at: string;
  readonly engine: "sqlite" | "postgres";
  /** What was looked at again and found empty. */
  readonly looked_at: readonly string[];
  readonly bytes: string;
}

/** A public key, as it is kept and published. Times are Unix milliseconds. */
export interface ReceiptKey {
  /** The JWK thumbprint (RFC 7638). */
  readonly keyId: string;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  readonly createdAt: number;
  /** Since when nothing is signed with it. */
  readonly retiredAt: number | undefined;
}

/** The end of a store's chain of receipts, to which the next one is tied. */
export interface ReceiptHead {
  readonly storeId: string;
  readonly receiptNo: number;
  readonly hash: string;
}

export interface ReceiptContext {
  readonly head: ReceiptHead;
  readonly engine: Verification["engine"];
  readonly keyId: string;
}

/** What is to be signed for a deletion that is about to be completed; it says when, so completedAt is set already. */
export function makeReceiptBody(deletion: Deletion, context: ReceiptContext): ReceiptBody {
  const { completedAt, startedAt, carriedOutBefore } = deletion;
  if (completedAt === undefined) throw new TypeError("a receipt is for a completed deletion");
  const { head, engine, keyId } = context;
  return {
    type: receiptType,
    version: receiptVersion,
    store_id: head.storeId,
    receipt_no: head.receiptNo + 1,
    previous_receipt: head.hash,
    organization_id: deletion.organizationId,
    deletion_request_id: deletion.deletionRequestId,
    asked: {
      resource_type: deletion.resourceType,
      resource_id: deletion.resourceId,
      reason: deletion.reason,
      by: deletion.requestedBy,
      at: formatInstant(deletion.requestedAt),
    },
    started_at: formatInstant(startedAt ?? completedAt),
    completed_at: formatInstant(completedAt),
    erased: deletion.erased,
    references_removed: deletion.redacted,
    verification: verificationBy(engine, completedAt),
    ...(carriedOutBefore === undefined ? {} : { carried_out_again: carriedOutBefore }),
    key_id: keyId,
  };
}

/** The text that the signature is over. */
export function signedText({ signature: _signature, ...body }: Receipt): string {
  return canonicalJson(body);
}

/** The text whose SHA-256 the next receipt holds. */
export function chainedText(receipt: Receipt): string {
  return canonicalJson(receipt);
}

const verifiedParts = [
  "records",
  "changes",
  "relations",
  "references in records that stay",
] as const;

/** docs/reference/what-we-erase.md says the same at length. */
const bytes: Readonly<Record<Verification["engine"], string>> = {
  sqlite: "gone from every file of the store before the status became completed",
  postgres:
    "unreachable at completed_at; gone from pages with vacuum and from WAL with its recycling",
};

function verificationBy(engine: Verification["engine"], at: number): Verification {
  return { at: formatInstant(at), engine, looked_at: verifiedParts, bytes: bytes[engine] };
}

function formatInstant(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
