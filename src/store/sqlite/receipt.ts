// Receipts and the public keys they are signed with: written with the completion of a deletion, and read. Signs nothing.

import type { Receipt, ReceiptHead, ReceiptKey } from "../../domain/receipt.ts";
import {
  documentOf,
  findChainFault,
  followsHead,
  type HeadRow,
  type KeyRow,
  type ReceiptRow,
  toHead,
  toKeptReceipt,
  toReceipt,
  toReceiptKey,
} from "../receipt-row.ts";
import type { Act, KeepKeyOptions, KeptReceipt, SealedReceipt } from "../store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

const findHead = `SELECT store_id, receipt_no, hash FROM receipt_head`;

const moveHead = `UPDATE receipt_head SET receipt_no = ?, hash = ?`;

const insertReceipt = `
  INSERT INTO receipt (receipt_no, deletion_request_id, organization_id, document, hash)
  VALUES (?, ?, ?, ?, ?)`;

const findOne = `
  SELECT document FROM receipt
  WHERE deletion_request_id = ?1 AND (?2 IS NULL OR organization_id = ?2)`;

const readPage = `SELECT * FROM receipt WHERE receipt_no > ? ORDER BY receipt_no LIMIT ?`;

const insertKey = `
  INSERT INTO receipt_key (key_id, public_key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

const retireOthers = `
  UPDATE receipt_key SET retired_at = ?2 WHERE key_id <> ?1 AND retired_at IS NULL`;

const findKeys = `SELECT * FROM receipt_key ORDER BY created_at, key_id`;

const pageRows = 1_000;

export function readReceiptHead(connection: Connection): ReceiptHead {
  const row = connection.get<HeadRow>(findHead);
  if (row === undefined) throw new TypeError("the chain of receipts has no end");
  return toHead(row);
}

/** False if another receipt was written since this one was signed; then it has to be signed anew. */
export function fitsChain(connection: Connection, sealed: SealedReceipt): boolean {
  return followsHead(sealed, readReceiptHead(connection));
}

/** To be called in the transaction that completes the deletion. */
export function storeReceipt(connection: Connection, sealed: SealedReceipt, act: Act): void {
  const { receipt, hash, key } = sealed;
  keepKey(connection, key, act);
  connection.run(
    insertReceipt,
    receipt.receipt_no,
    receipt.deletion_request_id,
    receipt.organization_id,
    documentOf(sealed),
    hash,
  );
  moveReceiptHead(connection, { receiptNo: receipt.receipt_no, hash });
}

export function moveReceiptHead(
  connection: Connection,
  { receiptNo, hash }: Omit<ReceiptHead, "storeId">,
): void {
  connection.run(moveHead, receiptNo, hash);
}

export function findReceipt(
  connection: Connection,
  deletionRequestId: string,
  organizationId: string | undefined,
): Receipt | undefined {
  const row = connection.get<ReceiptRow>(findOne, deletionRequestId, organizationId ?? null);
  return row === undefined ? undefined : toReceipt(row);
}

export function listReceipts(
  connection: Connection,
  { afterReceiptNo, limit }: { readonly afterReceiptNo: number; readonly limit: number },
): readonly KeptReceipt[] {
  return connection.all<ReceiptRow>(readPage, afterReceiptNo, limit).map(toKeptReceipt);
}

export function listReceiptKeys(connection: Connection): readonly ReceiptKey[] {
  return connection.all<KeyRow>(findKeys).map(toReceiptKey);
}

export function keepReceiptKey(
  { connection }: Group,
  args: { readonly key: ReceiptKey; readonly options: KeepKeyOptions; readonly act: Act },
): void {
  const { key, options, act } = args;
  keepKey(connection, key, act);
  if (options.retireOthers) connection.run(retireOthers, key.keyId, act.now);
}

function keepKey(connection: Connection, { keyId, publicKey, createdAt }: ReceiptKey, act: Act) {
  if (connection.run(insertKey, keyId, publicKey, createdAt) === 0) return;
  appendAudit(connection, {
    at: act.now,
    actor: act.actor,
    action: "receipt_key.create",
    organizationId: undefined,
    subject: keyId,
    detail: {},
  });
}

/** The first receipt that does not follow from the one before, or an end that is not the last one's. */
export function checkReceiptChain(connection: Connection): string | undefined {
  const head = readReceiptHead(connection);
  let previous: Pick<ReceiptRow, "receipt_no" | "hash"> = { receipt_no: 0, hash: "0".repeat(64) };
  for (;;) {
    const rows = connection.all<ReceiptRow>(readPage, previous.receipt_no, pageRows);
    for (const row of rows) {
      const fault = findChainFault(row, previous);
      if (fault !== undefined) return fault;
      previous = row;
    }
    if (rows.length < pageRows) break;
  }
  // While a restore is being made good, the end is ahead of the receipts that are there.
  if (head.receiptNo < previous.receipt_no) return "The chain of receipts is longer than its end.";
  if (head.receiptNo === previous.receipt_no && head.hash !== previous.hash) {
    return `The chain of receipts does not end with receipt ${previous.receipt_no}.`;
  }
  return undefined;
}
