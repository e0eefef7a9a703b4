// Verifies receipts with public keys, each by itself and in sequence as a chain. Works offline: uses neither the store
// nor the network.

import { hash, verify } from "node:crypto";
import {
  aloneNo,
  chainedText,
  findReceiptFaults,
  isReceipt,
  type Receipt,
} from "../../domain/deletion/receipt.ts";
import { isStatement } from "../../domain/deletion/recipient-statement.ts";
import { isCut } from "../../domain/audit-chain.ts";
import type { RestoreEntry } from "../../domain/deletion/ledger-entry.ts";
import { canonicalJson } from "../../domain/json/canonical-json.ts";
import { type PublishedKeys, thumbprint, toPublicKey } from "./receipt-keys.ts";

export interface ReceiptVerdict {
  /** `receipt 3 (del_…)`, or its position in the file if it has no number. */
  readonly name: string;
  readonly receipt: Receipt | undefined;
  readonly faults: readonly string[];
}

/** One verdict for each receipt. Receipts of the chain are expected in the order of the chain. */
export function verifyReceipts(
  values: readonly unknown[],
  published: PublishedKeys,
): readonly ReceiptVerdict[] {
  const verifier = new ReceiptVerifier(published);
  return values.map((value, index) => {
    const { receipt, faults } = verifier.add(value);
    const name = isStatement(value)
      ? `the statement on the recipients of ${value.deletion_request_id}`
      : nameOf(receipt, index, values.length);
    return { name, receipt, faults };
  });
}

/** The receipts around others that are missing. Both can be genuine. */
export interface ReceiptGap {
  readonly before: Receipt;
  readonly after: Receipt;
}

export type RecordedRestore = Pick<RestoreEntry, "entry" | "receipts">;

export class ReceiptVerifier {
  readonly #published: PublishedKeys;
  #previous: Receipt | undefined;

  constructor(published: PublishedKeys) {
    this.#published = published;
  }

  add(
    value: unknown,
  ): Pick<ReceiptVerdict, "receipt" | "faults"> & { readonly gap: ReceiptGap | undefined } {
    const none = { receipt: undefined, gap: undefined };
    const isStated = isStatement(value);
    if (!isStated && !isReceipt(value)) return { ...none, faults: findReceiptFaults(value) };
    const faults = findSignatureFaults("It", signedDocument(value), this.#published);
    if (isStated) return { ...none, faults };
    const previous = this.#previous;
    const chain = previous === undefined ? [] : findChainFaults(value, previous);
    if (value.receipt_no !== aloneNo) this.#previous = value;
    return { receipt: value, faults: [...faults, ...chain], gap: findGap(value, previous) };
  }
}

export function findGaps(verdicts: readonly ReceiptVerdict[]): readonly ReceiptGap[] {
  const chained = verdicts.filter(({ receipt }) => receipt?.receipt_no !== aloneNo);
  return chained.flatMap(({ receipt }, index) => {
    const gap = receipt && findGap(receipt, chained[index - 1]?.receipt);
    return gap === undefined ? [] : [gap];
  });
}

function findGap(after: Receipt, before: Receipt | undefined): ReceiptGap | undefined {
  if (before?.store_id !== after.store_id || after.receipt_no === aloneNo) return undefined;
  return after.receipt_no > before.receipt_no + 1 ? { before, after } : undefined;
}

/** `restores`: those that the audit trail records; undefined if it is not there to compare. */
export function describeGap(
  { before, after }: ReceiptGap,
  restores: readonly RecordedRestore[] | undefined,
): { readonly text: string; readonly isExplained: boolean } {
  const [first, last] = [before.receipt_no + 1, after.receipt_no - 1];
  const missing =
    first === last
      ? `Receipt ${first} is missing`
      : `The receipts from ${first} to ${last} are missing`;
  const ends = {
    last: { no: before.receipt_no, hash: hash("sha256", chainedText(before)) },
    next: { no: last, hash: after.previous_receipt },
  };
  const restore = restores?.find(({ receipts }) => isCut(receipts, ends));
  if (restore !== undefined) {
    const text = `${missing} because of the restore in entry ${restore.entry.no} of the audit trail.`;
    return { text, isExplained: true };
  }
  const replaced = after.carried_out_again?.receipt_no ?? aloneNo;
  const isReplay = replaced >= first && replaced <= last;
  const hint =
    isReplay && restores === undefined
      ? ` Receipt ${after.receipt_no} says that it replaces receipt ${replaced} after a restore. Compare the audit ` +
        "trail (--trail) to verify this."
      : "";
  return { text: `${missing}.${hint}`, isExplained: false };
}

/** What is signed with a key of receipts. */
interface Signed {
  readonly storeId: string;
  readonly keyId: string;
  readonly text: string;
  readonly signature: string;
}

/** A document is signed as the canonical JSON of everything but the signature. */
export function signedDocument({
  signature,
  ...body
}: Readonly<Record<"store_id" | "key_id" | "signature", string>>): Signed {
  return { storeId: body.store_id, keyId: body.key_id, text: canonicalJson(body), signature };
}

export function findSignatureFaults(
  what: string,
  { storeId: ownStoreId, keyId, text, signature }: Signed,
  { keys, store_id: storeId }: PublishedKeys,
): readonly string[] {
  const faults: string[] = [];
  if (storeId !== "" && ownStoreId !== storeId) {
    faults.push(
      `${what} belongs to another store, ${ownStoreId}; the keys are those of ${storeId}.`,
    );
  }
  const publicKey = keys.find(({ kid }) => kid === keyId)?.x;
  if (publicKey === undefined) {
    faults.push(
      `${what} names the key ${keyId}, which is not among the keys: it comes from another service, or the keys are ` +
        "older than that one.",
    );
  } else if (thumbprint(publicKey) !== keyId) {
    faults.push(`The key ${keyId} is published under a wrong name.`);
  } else if (!isSignedWith(publicKey, text, signature)) {
    faults.push(
      `${what} has no valid signature: it was changed after it was signed, or was never signed with this key.`,
    );
  }
  return faults;
}

function isSignedWith(publicKey: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  return verify(null, Buffer.from(text), toPublicKey(publicKey), bytes);
}

function findChainFaults(receipt: Receipt, previous: Receipt): readonly string[] {
  if (receipt.store_id !== previous.store_id) {
    return [
      `It belongs to the store ${receipt.store_id}, but the one before it to ${previous.store_id}.`,
    ];
  }
  const [number, before] = [receipt.receipt_no, previous.receipt_no];
  if (number === aloneNo) return [];
  if (number === before) return [`There are two receipts with the number ${number}.`];
  if (number < before) return [`It comes after number ${before}: the receipts were re-ordered.`];
  // Missing receipts in between are reported once, and do not make this receipt invalid.
  if (number > before + 1) return [];
  if (receipt.previous_receipt === hash("sha256", chainedText(previous))) return [];
  return [`It does not follow from number ${before}: that one was changed or replaced.`];
}

function nameOf(receipt: Receipt | undefined, index: number, count: number): string {
  if (receipt !== undefined) {
    const { receipt_no: no, deletion_request_id: id } = receipt;
    return no === aloneNo ? `the receipt of ${id}` : `receipt ${no} (${id})`;
  }
  return count === 1 ? "the receipt" : `item ${index + 1}`;
}
