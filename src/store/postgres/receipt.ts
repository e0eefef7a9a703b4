// Receipts and the public keys they are signed with: written with the completion of a deletion, and read. The lock on the
// chain's end puts the processes that complete deletions in a row; it is taken before that of the audit trail. Signs nothing.

import { type ReceiptCut, ReceiptChainCheck } from "../chain-check.ts";
import type { Receipt, ReceiptHead, ReceiptKey } from "../../domain/receipt.ts";
import {
  documentOf,
  type HeadRow,
  type KeyRow,
  type ReceiptRow,
  toHead,
  toKeptReceipt,
  toReceipt,
  toReceiptKey,
} from "../receipt-row.ts";
import type { Act, KeepKeyOptions, SealedReceipt } from "../store.ts";
import type { KeptReceipt } from "../trail.ts";
import { appendAudit } from "../sql/audit.ts";
import type { Transaction } from "./transaction.ts";

const findHead = `SELECT store_id, receipt_no, hash FROM receipt_head WHERE single`;

const lockHead = `SELECT store_id, receipt_no, hash FROM receipt_head WHERE single FOR UPDATE`;

const moveHead = `UPDATE receipt_head SET receipt_no = $1, hash = $2 WHERE single`;

const insertReceipt = `
  INSERT INTO receipt (receipt_no, deletion_request_id, organization_id, document, hash)
  VALUES ($1, $2, $3, $4, $5)`;

const findOne = `
  SELECT document FROM receipt
  WHERE deletion_request_id = $1 AND ($2::text IS NULL OR organization_id = $2)`;

const findSome = `
  SELECT * FROM receipt WHERE deletion_request_id = ANY ($1::text[]) ORDER BY receipt_no`;

const readPage = `SELECT * FROM receipt WHERE receipt_no > $1 ORDER BY receipt_no LIMIT $2`;

const insertKey = `
  INSERT INTO receipt_key (key_id, public_key, created_at) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`;

const retireOthers = `
  UPDATE receipt_key SET retired_at = $2 WHERE key_id <> $1 AND retired_at IS NULL
  RETURNING key_id`;

const findKeys = `SELECT * FROM receipt_key ORDER BY created_at, key_id`;

const pageRows = 1_000;

export async function readReceiptHead(transaction: Transaction): Promise<ReceiptHead> {
  return toExistingHead(await transaction.get<HeadRow>(findHead));
}

/** To the end of the transaction, nobody else ties a receipt to the chain. */
export async function lockReceiptHead(transaction: Transaction): Promise<ReceiptHead> {
  return toExistingHead(await transaction.get<HeadRow>(lockHead));
}

function toExistingHead(row: HeadRow | undefined): ReceiptHead {
  if (row === undefined) throw new TypeError("the chain of receipts has no end");
  return toHead(row);
}

/** The caller has locked the end of the chain, and sealed the receipt to it. */
export async function storeReceipt(
  transaction: Transaction,
  sealed: SealedReceipt,
  act: Act,
): Promise<void> {
  const { receipt, hash, key } = sealed;
  await transaction.run(
    insertReceipt,
    receipt.receipt_no,
    receipt.deletion_request_id,
    receipt.organization_id,
    documentOf(sealed),
    hash,
  );
  await moveReceiptHead(transaction, { receiptNo: receipt.receipt_no, hash });
  await keepKey(transaction, key, act);
}

export async function moveReceiptHead(
  transaction: Transaction,
  { receiptNo, hash }: Omit<ReceiptHead, "storeId">,
): Promise<void> {
  await transaction.run(moveHead, receiptNo, hash);
}

export async function findReceipt(
  transaction: Transaction,
  args: { readonly deletionRequestId: string; readonly organizationId: string | undefined },
): Promise<Receipt | undefined> {
  const { deletionRequestId, organizationId } = args;
  const row = await transaction.get<ReceiptRow>(findOne, deletionRequestId, organizationId ?? null);
  return row === undefined ? undefined : toReceipt(row);
}

export async function listReceipts(
  transaction: Transaction,
  { afterReceiptNo, limit }: { readonly afterReceiptNo: number; readonly limit: number },
): Promise<readonly KeptReceipt[]> {
  return (await transaction.all<ReceiptRow>(readPage, afterReceiptNo, limit)).map(toKeptReceipt);
}

export async function findReceipts(
  transaction: Transaction,
  deletionRequestIds: readonly string[],
): Promise<readonly KeptReceipt[]> {
  return (await transaction.all<ReceiptRow>(findSome, deletionRequestIds)).map(toKeptReceipt);
}

export async function listReceiptKeys(transaction: Transaction): Promise<readonly ReceiptKey[]> {
  return (await transaction.all<KeyRow>(findKeys)).map(toReceiptKey);
}

export async function keepReceiptKey(
  transaction: Transaction,
  args: { readonly key: ReceiptKey; readonly options: KeepKeyOptions; readonly act: Act },
): Promise<void> {
  const { key, options, act } = args;
  await keepKey(transaction, key, act);
  if (!options.retireOthers) return;
  for (const row of await transaction.all<KeyRow>(retireOthers, key.keyId, act.now)) {
    await noteKey(transaction, { keyId: row.key_id, action: "retire", detail: {}, act });
  }
}

async function keepKey(
  transaction: Transaction,
  { keyId, publicKey, createdAt }: ReceiptKey,
  act: Act,
): Promise<void> {
  if ((await transaction.run(insertKey, keyId, publicKey, createdAt)) === 0) return;
  await noteKey(transaction, { keyId, action: "create", detail: { publicKey, createdAt }, act });
}

async function noteKey(
  transaction: Transaction,
  event: {
    readonly keyId: string;
    readonly action: "create" | "retire";
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Promise<void> {
  const { keyId, action, detail, act } = event;
  await transaction.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: `receipt_key.${action}`,
    organizationId: undefined,
    subject: keyId,
    detail,
  });
}

/** The first receipt that does not follow from the one before, or an end that is not the last one's. */
export async function checkReceiptChain(
  transaction: Transaction,
  cuts: readonly ReceiptCut[],
): Promise<string | undefined> {
  const check = new ReceiptChainCheck(cuts);
  for (;;) {
    const rows = await transaction.all<ReceiptRow>(readPage, check.lastNo, pageRows);
    const fault = check.add(rows);
    if (fault !== undefined) return fault;
    if (rows.length < pageRows) return check.end(await readReceiptHead(transaction));
  }
}
