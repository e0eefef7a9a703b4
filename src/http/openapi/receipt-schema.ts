// The schema of a deletion's receipt. Closed: a receipt with a field of somebody else's making is none.

import { noReceiptHash, receiptType, receiptVersion } from "../../domain/deletion/receipt.ts";
import type { JsonSchema } from "./document.ts";

const text = (description: string): JsonSchema => ({ type: "string", description });
const time = (description: string): JsonSchema => ({
  type: "string",
  format: "date-time",
  description,
});
const count = (minimum: number, description: string): JsonSchema => ({
  type: "integer",
  format: "int64",
  minimum,
  description,
});

function closed(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  sometimes: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !sometimes.includes(name));
  return { type: "object", description, required, properties, additionalProperties: false };
}

const asked = closed("What was asked for.", {
  resource_type: text("Type of the record."),
  resource_id: text("Unique identifier of the record."),
  reason: text("Reason for deletion, as it was given."),
  by: text("Id of the API key that asked, `operator` or `retention`."),
  at: time("When it was requested."),
});

const verification = closed("How it was made sure that nothing is left.", {
  at: time("When."),
  engine: { type: "string", enum: ["sqlite", "postgres"], description: "What keeps the store." },
  looked_at: {
    type: "array",
    items: { type: "string" },
    description: "What was looked at again and found empty.",
  },
  bytes: text("What has become of the bytes at that moment."),
});

const replayedExample = closed("Only after a restore: the receipt that the deletion had before.", {
  because: { type: "string", enum: ["restore"], description: "Why." },
  completed_at: { type: ["string", "null"], description: "When it was first completed." },
  receipt_no: { type: ["integer", "null"], description: "The number of that receipt." },
  receipt: { type: ["string", "null"], description: "Its SHA-256." },
});

export const deletionReceipt: JsonSchema = closed(
  "The signed proof of a completed deletion; `sluice receipt verify` checks it. Its hash is the SHA-256 of its canonical JSON (RFC 8785).",
  {
    type: { type: "string", enum: [receiptType], description: "What this document is." },
    version: { type: "integer", enum: [receiptVersion], description: "Version of its form." },
    store_id: text("Names the store, and so the chain."),
    receipt_no: count(1, "Place in the chain of the store's receipts."),
    previous_receipt: text("SHA-256 of the receipt before it, in hex; zeros in the first."),
    organization_id: text("Organization that the record belonged to."),
    deletion_request_id: text("Unique identifier of the deletion request."),
    asked,
    started_at: time("When the erasure began."),
    completed_at: time("When it was completed and verified."),
    erased: {
      type: "object",
      description: "How many records were erased, by type.",
      additionalProperties: { type: "integer", format: "int64", minimum: 1 },
    },
    references_removed: count(0, "References taken out of records that stay."),
    verification,
    carried_out_again: replayedExample,
    key_id: text("Thumbprint (RFC 7638) of the public key."),
    signature: text("Ed25519 over the canonical JSON of everything else, base64url."),
  },
  ["carried_out_again"],
);

export const receiptExample = {
  type: receiptType,
  version: receiptVersion,
  store_id: "store_5d41402abc4b2a76b9719d91",
  receipt_no: 1,
  previous_receipt: noReceiptHash,
  organization_id: "acme",
  started_at: "2026-03-01T10:00:01.100Z",
  completed_at: "2026-03-01T10:00:01.250Z",
  references_removed: 0,
  verification: {
    at: "2026-03-01T10:00:01.250Z",
    engine: "sqlite",
    looked_at: ["records", "changes", "relations", "references in records that stay"],
    bytes: "gone from every file of the store at completed_at",
  },
  key_id: "0oTeNmSRC3wCkN3FbDkUtMEzMz3bvRXcSJ2Y2SbyaG0",
  signature: "A".repeat(86),
} as const;
