// Receipts and the public keys of their signatures: written when a deletion is completed, and read. On PostgreSQL the
// lock on the chain's head serializes the processes that complete deletions; it is taken before that of the audit
// trail. Signs nothing.

import type { VerbOn } from "../../../domain/trail-action.ts";
import type { ChainCut } from "../../../domain/deletion/ledger-entry.ts";
import {
  aloneNo,
  type ReceiptHead,
  type ReceiptKey,
  type SealingHead,
} from "../../../domain/deletion/receipt.ts";
import type { Act } from "../../interface/act.ts";
import { readIntact, ReceiptChainCheck } from "../../shared/chain-check.ts";
import {
  type ReceiptRow,
  toHead,
  toSealingHead,
  firstRowNo,
  rowNoOf,
  toStoredReceipt,
  toReceipt,
  toReceiptKey,
} from "../../row/deletion-row.ts";
import type { SealedReceipt } from "../../interface/deletion.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { auditAct } from "./audit.ts";
import { named, inNamedIds, columnsIn } from "../statement/named.ts";
import { all, find, list, Rows, run, type Statements } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

export interface KeepKeyOptions {
  /** The key that nothing is signed with any more, since when it is not. */
  readonly retired?: { readonly keyId: string; readonly retiredAt: number } | undefined;
}

const findHead = `SELECT store_id, receipt_no, hash, salt_key FROM receipt_head WHERE single`;

const lockHead = `
  ${findHead}
  --postgres FOR UPDATE
  `;

const moveHead = `UPDATE receipt_head SET receipt_no = $1, hash = $2 WHERE single`;

const columns = "receipt_no bigint, deletion_request_id, organization_id, document, hash";
const insertReceipts = `
  INSERT INTO receipt (${columnsIn(columns).join(", ")}) SELECT * FROM ${named(columns)}`;

const findOne = `
  SELECT document FROM receipt
  WHERE deletion_request_id = $1 AND (CAST($2 AS text) IS NULL OR organization_id = $2)`;

const findSome = `
  SELECT * FROM receipt WHERE ${inNamedIds("deletion_request_id")} ORDER BY receipt_no`;

const readPage = `SELECT * FROM receipt WHERE receipt_no > $1 ORDER BY receipt_no LIMIT $2`;

const insertKey = insertion<ReceiptKey>(
  "receipt_key",
  "key_id public_key created_at",
  "ON CONFLICT DO NOTHING",
);

const retireKey = `
  UPDATE receipt_key SET retired_at = $1 WHERE key_id = $2 AND retired_at IS NULL`;

const pageRows = 1_000;

export function* readReceiptHead(): Statements<ReceiptHead> {
  return existing(yield* find(toHead, findHead));
}

export function* readSealingHead(): Statements<SealingHead> {
  return existing(yield* find(toSealingHead, findHead));
}

/** Does the same, and locks the head: nobody else adds a receipt to the chain until the end of the transaction. */
export function* lockReceiptHead(): Statements<SealingHead> {
  return existing(yield* find(toSealingHead, lockHead));
}

/** Returns the key from which the salts of receipts are derived: 256 bits in hex. */
export function* readSaltKey(): Statements<string> {
  return (yield* readSealingHead()).saltKey;
}

function existing<Head>(head: Head | undefined): Head {
  if (head === undefined) throw new TypeError("the chain of receipts has no end");
  return head;
}

/** Must run in the transaction that has locked the head which the first of these receipts follows. */
export function* storeReceipts(sealed: readonly SealedReceipt[], act: Act): Statements<void> {
  if (sealed.length === 0) return;
  const rows = sealed.map(({ receipt, document, hash }) => {
    const { deletion_request_id, organization_id } = receipt;
    return [rowNoOf(receipt, hash), deletion_request_id, organization_id, document, hash];
  });
  yield* run(insertReceipts, new Rows(rows, 5));
  const last = sealed.findLast(({ receipt }) => receipt.receipt_no !== aloneNo);
  if (last !== undefined) {
    yield* moveReceiptHead({ receiptNo: last.receipt.receipt_no, hash: last.hash });
  }
  const keys = new Map(sealed.map(({ key }) => [key.keyId, key]));
  for (const key of keys.values()) yield* addKey(key, act);
}

export function* moveReceiptHead({
  receiptNo,
  hash,
}: Omit<ReceiptHead, "storeId">): Statements<void> {
  yield* run(moveHead, receiptNo, hash);
}

/** Finds the receipt of a deletion of this organization, or of any if none is named. */
export function* findReceipt(deletionRequestId: string, organizationId: string | undefined) {
  return yield* find(toReceipt, findOne, deletionRequestId, organizationId ?? null);
}

export function* listReceipts(afterReceiptNo: number, limit: number) {
  return yield* list(toStoredReceipt, readPage, afterReceiptNo, limit);
}

export function* findReceipts(deletionRequestIds: readonly string[]) {
  return yield* list(toStoredReceipt, findSome, deletionRequestIds);
}

export function* listReceiptKeys() {
  return yield* list(toReceiptKey, `SELECT * FROM receipt_key ORDER BY created_at, key_id`);
}

export function* keepReceiptKey(
  key: ReceiptKey,
  { retired }: KeepKeyOptions,
  act: Act,
): Statements<void> {
  yield* addKey(key, act);
  if (retired === undefined) return;
  if ((yield* run(retireKey, retired.retiredAt, retired.keyId)) === 0) return;
  yield* auditAct(noteOn(retired.keyId, "retire", {}), act);
}

function* addKey(key: ReceiptKey, act: Act): Statements<void> {
  const { keyId, publicKey, createdAt } = key;
  if ((yield* insertKey(key)) === 0) return;
  yield* auditAct(noteOn(keyId, "create", { publicKey, createdAt }), act);
}

function noteOn(
  subject: string,
  verb: VerbOn<"receipt_key">,
  detail: AuditNote["detail"],
): AuditNote {
  return { action: `receipt_key.${verb}`, organizationId: undefined, subject, detail };
}

/** Finds the first receipt outside the chains that was altered. The audit trail shows if such a receipt is missing. */
function* findAlteredAlone(): Statements<string | undefined> {
  let after = firstRowNo;
  for (;;) {
    const rows = yield* all<ReceiptRow>(readPage, after, pageRows);
    const alone = rows.filter(({ receipt_no }) => receipt_no < aloneNo);
    const altered = alone.find((row) => readIntact(row) === undefined);
    if (altered !== undefined) return `The receipt of ${altered.deletion_request_id} was altered.`;
    if (alone.length < pageRows) return undefined;
    after = alone.at(-1)?.receipt_no ?? aloneNo;
  }
}

/** Reports the first receipt that does not follow, or a head that is not that of the last one. */
export function* checkReceiptChain(cuts: readonly ChainCut[]): Statements<string | undefined> {
  const check = new ReceiptChainCheck(cuts);
  const altered = yield* findAlteredAlone();
  if (altered !== undefined) return altered;
  for (;;) {
    const rows = yield* all<ReceiptRow>(readPage, check.lastNo, pageRows);
    const fault = check.add(rows);
    if (fault !== undefined) return fault;
    if (rows.length < pageRows) return check.end(yield* readReceiptHead());
  }
}
