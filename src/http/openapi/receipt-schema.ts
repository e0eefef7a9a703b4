// The schemas of a receipt and of what it commits to. They are closed: nothing with another field is a receipt.

import type { Field, Form } from "../../domain/deletion/document-form.ts";
import {
  noReceiptHash,
  receiptForm,
  receiptType,
  receiptVersion,
} from "../../domain/deletion/receipt.ts";
import { statementForm } from "../../domain/deletion/recipient-statement.ts";
import { type CountKind, countKinds } from "../../domain/deletion/receipt-count.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { countSchema, objectSchema, textSchema } from "./content.ts";
import { type JsonSchema, schemaRef } from "./document.ts";

/** The schema of a field, with those of its members and items. */
function publishField({ schema, members, items, component }: Field, closed?: true): JsonSchema {
  if (component) return schemaRef(component);
  if (members !== undefined) return publishForm(members, schema.description, closed);
  if (items === undefined) return schema;
  const each = schema["type"] === "array" ? "items" : "additionalProperties";
  return { ...schema, [each]: publishField(items, closed) };
}

function publishForm(form: Form, description: string, closed?: true): JsonSchema {
  const fields = Object.entries(form);
  const sometimes = fields.flatMap(([name, { isOptional }]) => (isOptional ? [name] : []));
  const schemas = fields.map(([name, field]) => [name, publishField(field, closed)] as const);
  return objectSchema(description, Object.fromEntries(schemas), {
    sometimes,
    ...(closed && { closed }),
  });
}

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
  ReceiptCountHashes: objectSchema(
    'For each number, the SHA-256 of `["sluice-receipt-count",salt,type,kind,number]`, base64url. Without the salt it says nothing ' +
      "about the number.",
    byKind(textSchema),
    { closed: true },
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
  ReceiptApproval: publishField({ ...receiptForm.approval, component: "" }, true),
};

export const disclosuresSchema: JsonSchema = {
  type: "object",
  description:
    "By type, the numbers that the receipt commits to, with their salts: of every type whose read scope the token has, also " +
    "if there were none.",
  additionalProperties: schemaRef("DisclosedCounts"),
};

export const deletionReceipt = publishForm(
  receiptForm,
  "The signed proof of a completed deletion. Its hash is the SHA-256 of its canonical JSON (RFC 8785).",
  true,
);

export const recipientStatement = publishForm(
  statementForm,
  "The signed statement that every recipient has acknowledged what was erased.",
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
