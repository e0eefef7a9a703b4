// The schemas of a receipt and of what it commits to. They are closed: nothing with another field is a receipt.

import { noReceiptHash, receiptType, receiptVersion } from "../../domain/deletion/receipt.ts";
import { type CountKind, countKinds } from "../../domain/deletion/receipt-count.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { countSchema, objectSchema, textSchema, timeSchema } from "./content.ts";
import { type JsonSchema, schemaRef } from "./document.ts";

function closedSchema(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  sometimes: readonly string[] = [],
): JsonSchema {
  return objectSchema(description, properties, { sometimes, closed: true });
}

const asked = closedSchema(
  "The deletion request.",
  {
    resource_type: textSchema("Type of the record."),
    resource_id: textSchema("Unique identifier of the record."),
    reason: textSchema("Reason for deletion, as given."),
    basis: textSchema(
      'Only if the request stated a basis: the SHA-256 of `["sluice-receipt-basis",salt,basis]`, base64url.',
    ),
    by: textSchema("Id of the API key that requested it, `operator` or `retention`."),
    at: timeSchema("When it was requested."),
  },
  ["basis"],
);

const verification = closedSchema("How the service verified that nothing is left.", {
  at: timeSchema("When."),
  engine: { type: "string", enum: ["sqlite", "postgres"], description: "Engine of the store." },
  looked_at: {
    type: "array",
    items: { type: "string" },
    description: "What was checked and found empty.",
  },
  bytes: textSchema("What had happened to the bytes at that time."),
});

const replayedExample = closedSchema(
  "Only after a restore: the receipt that the deletion had before.",
  {
    because: { type: "string", enum: ["restore"], description: "Why." },
    completed_at: { type: ["string", "null"], description: "When it was first completed." },
    receipt_no: { type: ["integer", "null"], description: "The number of that receipt." },
    receipt: { type: ["string", "null"], description: "Its SHA-256." },
  },
);

const kindDescriptions: Readonly<Record<CountKind, string>> = {
  removed: "Records that the organization no longer has: erased, or kept as `kept` counts.",
  kept: "How many of these an obligation to keep records keeps in the restricted store.",
  references_removed: "References removed from records of this type that stay.",
};

function byKind(property: (description: string) => JsonSchema): Record<CountKind, JsonSchema> {
  const properties = countKinds.map((kind) => [kind, property(kindDescriptions[kind])]);
  return Object.fromEntries(properties) as Record<CountKind, JsonSchema>;
}

export const receiptParts: Readonly<Record<string, JsonSchema>> = {
  ReceiptCountHashes: closedSchema(
    'For each number, the SHA-256 of `["sluice-receipt-count",salt,type,kind,number]`, base64url. Without the salt it says nothing ' +
      "about the number.",
    byKind(textSchema),
  ),
  DisclosedCounts: objectSchema(
    "The numbers of a type that the caller may know.",
    byKind((description) => ({ ...schemaRef("DisclosedCount"), description })),
    { sometimes: countKinds },
  ),
  DisclosedCount: objectSchema("A number, and the salt of its hash in the receipt.", {
    count: countSchema("The number."),
    salt: textSchema("The salt."),
  }),
  DisclosedApproval: objectSchema("The two people to whom the receipt commits, if it does.", {
    requester: schemaRef("DisclosedPerson"),
    approver: schemaRef("DisclosedPerson"),
  }),
  DisclosedBasis: objectSchema(
    "The basis that the request stated, and the salt of its hash in the receipt.",
    { basis: textSchema("The basis."), salt: textSchema("The salt.") },
  ),
  DisclosedPerson: objectSchema("A name, and the salt of its hash in the receipt.", {
    name: textSchema("The name."),
    salt: textSchema("The salt."),
  }),
  ReceiptApproval: closedSchema(
    "Only if a second person had to approve the deletion: who asked and who approved, each as the SHA-256 of " +
      '`["sluice-receipt-person",salt,"requester" or "approver",name]`, base64url.',
    {
      requester: textSchema("Hash of the name or key id of who requested it."),
      approver: textSchema("Hash of the name of who approved it."),
      approved_at: timeSchema("When it was approved."),
    },
  ),
};

export const disclosuresSchema: JsonSchema = {
  type: "object",
  description:
    "By type, the numbers that the receipt commits to, with their salts: of every type whose read scope the token has, also " +
    "if there were none.",
  additionalProperties: schemaRef("DisclosedCounts"),
};

export const deletionReceipt: JsonSchema = closedSchema(
  "The signed proof of a completed deletion; `sluice receipt verify` checks it. Its hash is the SHA-256 of its canonical JSON (RFC 8785).",
  {
    type: { type: "string", enum: [receiptType], description: "What this document is." },
    version: { type: "integer", enum: [receiptVersion], description: "Version of the format." },
    store_id: textSchema("Identifies the store, and so the chain."),
    receipt_no: countSchema(
      "Position in the chain of receipts of the store; 0 for one that is in no chain.",
      0,
    ),
    previous_receipt: textSchema("SHA-256 of the receipt before it, in hex; zeros in the first."),
    organization_id: textSchema("Organization that the record belonged to."),
    deletion_request_id: textSchema("Unique identifier of the deletion request."),
    asked,
    approval: schemaRef("ReceiptApproval"),
    started_at: timeSchema("When the erasure began."),
    completed_at: timeSchema("When it was completed and verified."),
    counts: {
      type: "object",
      description: "A salted hash instead of each number, by type, also where there were none.",
      additionalProperties: schemaRef("ReceiptCountHashes"),
    },
    verification,
    carried_out_again: replayedExample,
    key_id: textSchema("Thumbprint (RFC 7638) of the public key."),
    signature: textSchema("Ed25519 over the canonical JSON of everything else, base64url."),
  },
  ["approval", "carried_out_again"],
);

export const receiptKeyIdExample = "0oTeNmSRC3wCkN3FbDkUtMEzMz3bvRXcSJ2Y2SbyaG0";

const exampleHash = "A".repeat(43);
const exampleSalt = "A".repeat(22);

const exampleHashes = Object.fromEntries(countKinds.map((kind) => [kind, exampleHash]));

export const receiptExample = {
  type: receiptType,
  version: receiptVersion,
  store_id: "store_5d41402abc4b2a76b9719d91",
  receipt_no: 1,
  previous_receipt: noReceiptHash,
  organization_id: "acme",
  started_at: "2026-03-01T10:00:01.100Z",
  completed_at: "2026-03-01T10:00:01.250Z",
  counts: Object.fromEntries(recordTypes.map(({ resourceType }) => [resourceType, exampleHashes])),
  verification: {
    at: "2026-03-01T10:00:01.250Z",
    engine: "sqlite",
    looked_at: ["records", "changes", "relations", "references in records that stay"],
    bytes: "gone from every file of the store at completed_at",
  },
  key_id: receiptKeyIdExample,
  signature: "A".repeat(86),
} as const;

export const disclosureExample: Readonly<Record<CountKind, object>> = {
  removed: { count: 1, salt: exampleSalt },
  kept: { count: 0, salt: exampleSalt },
  references_removed: { count: 0, salt: exampleSalt },
};
