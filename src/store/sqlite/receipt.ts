// Receipts and the public keys they are signed with: written with the completion of a deletion, and read. Signs nothing.

import { type ReceiptCut, ReceiptChainCheck } from "../chain-check.ts";
import type { Receipt, ReceiptHead, ReceiptKey } from "../../domain/receipt.ts";
import {
  documentOf,
  followsHead,
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

const findSome = `
  SELECT * FROM receipt
  WHERE deletion_request_id IN (SELECT value FROM json_each(?)) ORDER BY receipt_no`;

const readPage = `SELECT * FROM receipt WHERE receipt_no > ? ORDER BY receipt_no LIMIT ?`;

const insertKey = `
  INSERT INTO receipt_key (key_id, public_key, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

const retireOthers = `
  UPDATE receipt_key SET retired_at = ?2 WHERE key_id <> ?1 AND retired_at IS NULL
  RETURNING key_id`;

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

export function findReceipts(
  connection: Connection,
  deletionRequestIds: readonly string[],
): readonly KeptReceipt[] {
  return connection
    .all<ReceiptRow>(findSome, JSON.stringify(deletionRequestIds))
    .map(toKeptReceipt);
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
  if (!options.retireOthers) return;
  for (const { key_id: keyId } of connection.all<KeyRow>(retireOthers, key.keyId, act.now)) {
    noteKey(connection, { keyId, action: "retire", detail: {}, act });
  }
}

function keepKey(connection: Connection, { keyId, publicKey, createdAt }: ReceiptKey, act: Act) {
  if (connection.run(insertKey, keyId, publicKey, createdAt) === 0) return;
  noteKey(connection, { keyId, action: "create", detail: { publicKey, createdAt }, act });
}

function noteKey(
  connection: Connection,
  event: {
    readonly keyId: string;
    readonly action: "create" | "retire";
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): void {
  const { keyId, action, detail, act } = event;
  connection.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: `receipt_key.${action}`,
    organizationId: undefined,
    subject: keyId,
    detail,
  });
}

/** The first receipt that does not follow from the one before, or an end that is not the last one's. */
export function checkReceiptChain(
  connection: Connection,
  cuts: readonly ReceiptCut[],
): string | undefined {
  const check = new ReceiptChainCheck(cuts);
  for (;;) {
    const rows = connection.all<ReceiptRow>(readPage, check.lastNo, pageRows);
    const fault = check.add(rows);
    if (fault !== undefined) return fault;
    if (rows.length < pageRows) return check.end(readReceiptHead(connection));
  }
}
