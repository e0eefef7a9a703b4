// The statement that every recipient has acknowledged what a deletion has erased. Signed like a receipt and bound to it
// by its hash, but in no chain: it is made from stored data whenever it is requested, with what the reader may know.

import { canonicalJson } from "../json/canonical-json.ts";
import { aloneNo, chainedText, type Receipt } from "./receipt.ts";

export const statementType = "sluice-recipient-statement";
export const statementVersion = 1;

export interface Acknowledgement {
  readonly name: string;
  readonly told_at: string;
  readonly acknowledged_at: string;
}

export interface RecipientStatementBody {
  readonly type: typeof statementType;
  readonly version: typeof statementVersion;
  readonly store_id: string;
  readonly receipt_no: typeof aloneNo;
  /** The SHA-256 of the receipt of the deletion. */
  readonly receipt_hash: string;
  readonly organization_id: string;
  readonly deletion_request_id: string;
  readonly recipients: readonly Acknowledgement[];
  readonly key_id: string;
}

export interface RecipientStatement extends RecipientStatementBody {
  /** Ed25519 over the canonical JSON of everything else, base64url. */
  readonly signature: string;
}

export interface Stating {
  readonly recipients: readonly Acknowledgement[];
  readonly hash: (text: string) => string;
  readonly signer: { readonly keyId: string; sign(text: string): string };
}

export function makeStatement(
  receipt: Receipt,
  { recipients, hash, signer }: Stating,
): RecipientStatement {
  const { store_id, organization_id, deletion_request_id } = receipt;
  const body: RecipientStatementBody = {
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

const members = [
  ..."type version store_id receipt_no receipt_hash organization_id deletion_request_id".split(" "),
  ..."recipients key_id signature".split(" "),
];

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
