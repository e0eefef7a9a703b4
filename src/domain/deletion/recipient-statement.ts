// The statement that every recipient has acknowledged what a deletion has erased. Signed like a receipt and bound to it
// by its hash, but in no chain: it is made from stored data whenever it is requested, with what the reader may know.

import { canonicalJson } from "../json/canonical-json.ts";
import * as field from "./document-form.ts";
import { aloneNo, chainedText, type Receipt } from "./receipt.ts";

export const statementType = "sluice-recipient-statement";
export const statementVersion = 1;

const acknowledgement = field.object(
  {
    name: field.text("Name of the recipient."),
    told_at: field.time("When the last notice for it was written."),
    acknowledged_at: field.time("When it had acknowledged all of them."),
  },
  "A recipient.",
);

export const statementForm = {
  type: field.constant(statementType, "What it is."),
  version: field.constant(statementVersion, "Its version."),
  store_id: field.text("Identifies the store."),
  receipt_no: field.constant(aloneNo, "It is in no chain."),
  receipt_hash: field.text("The SHA-256 of the receipt of the deletion."),
  organization_id: field.text("The organization."),
  deletion_request_id: field.text("Unique identifier of the deletion request."),
  recipients: field.listOf(acknowledgement, "The recipients, and when each had acknowledged."),
  key_id: field.text("The key that signed it, one of `/.well-known/sluice-receipts.json`."),
  signature: field.signature("Ed25519 over the canonical JSON of everything else, base64url."),
};

export type RecipientStatement = field.DocumentOf<typeof statementForm>;

export interface Stating {
  readonly recipients: RecipientStatement["recipients"];
  readonly hash: (text: string) => string;
  readonly signer: { readonly keyId: string; sign(text: string): string };
}

export function makeStatement(
  receipt: Receipt,
  { recipients, hash, signer }: Stating,
): RecipientStatement {
  const { store_id, organization_id, deletion_request_id } = receipt;
  const body: Omit<RecipientStatement, "signature"> = {
    type: statementType,
    version: statementVersion,
    store_id,
    receipt_no: aloneNo,
    receipt_hash: hash(chainedText(receipt)),
    organization_id,
    deletion_request_id,
    recipients,
    key_id: signer.keyId,
  };
  return { ...body, signature: signer.sign(canonicalJson(body)) };
}

const members = Object.keys(statementForm);

/** Whether a value claims to be a statement. */
export function isStatement(value: unknown): value is RecipientStatement {
  const given = value as Partial<RecipientStatement> | null;
  return (
    typeof given === "object" &&
    given !== null &&
    given.type === statementType &&
    Object.keys(given).length === members.length &&
    members.every((name) => Object.hasOwn(given, name)) &&
    typeof given.signature === "string" &&
    given.version === statementVersion
  );
}
