// An attack by somebody who knows how the chains are built and has no key: an entry is changed or
// removed, and everything after it is recomputed, heads included.

import { hash as digest } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { canonicalJson } from "../../src/domain/json/canonical-json.ts";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { type AuditRow, emptyChain } from "../../src/domain/audit-chain.ts";
import { hashAuditRow } from "../../src/store/row/audit-row.ts";
import type { Random } from "../support/random.ts";

const moveTrailEnd = "UPDATE audit_head SET entry_no = ?, hash = ?";
const moveReceiptsEnd = "UPDATE receipt_head SET receipt_no = ?, hash = ?";

const rowsOf = (database: DatabaseSync, table: string): unknown =>
  database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();

export function cutTrail(database: DatabaseSync, random: Random): string {
  const rows = rowsOf(database, "audit_entry") as readonly AuditRow[];
  const count = random.integer(1, 5);
  const { entry_no, hash } = rows[rows.length - 1 - count] ?? emptyChain;
  database.prepare("DELETE FROM audit_entry WHERE entry_no > ?").run(entry_no);
  database.prepare(moveTrailEnd).run(entry_no, hash);
  return `the last ${count} audit entries are removed, and the end is moved`;
}

export function rewriteTrail(database: DatabaseSync, random: Random): string | undefined {
  const rows = rowsOf(database, "audit_entry") as readonly AuditRow[];
  const from = random.integer(0, rows.length - 1);
  const changed = rows[from];
  if (changed === undefined) return undefined;
  const detail = JSON.stringify({ ...(JSON.parse(changed.detail) as object), forged: true });
  const edit: Partial<AuditRow> = random.pick([
    { actor: `${changed.actor}x` },
    { at: changed.at - 1_000 },
    { subject: `${changed.subject}x` },
    { detail },
  ]);
  let previous = rows[from - 1]?.hash ?? emptyChain.hash;
  let last = changed;
  for (const [index, row] of rows.slice(from).entries()) {
    const next = { ...row, ...(index === 0 ? edit : {}), previous_hash: previous };
    last = { ...next, hash: hashAuditRow(next) };
    database
      .prepare(
        "UPDATE audit_entry SET at = ?, actor = ?, subject = ?, detail = ?, previous_hash = ?, hash = ? WHERE entry_no = ?",
      )
      .run(
        last.at,
        last.actor,
        last.subject,
        last.detail,
        last.previous_hash,
        last.hash,
        last.entry_no,
      );
    previous = last.hash;
  }
  database.prepare(moveTrailEnd).run(last.entry_no, last.hash);
  return `audit entry ${changed.entry_no} gets another ${Object.keys(edit).join()}, and all after it fit`;
}

interface ReceiptRow {
  readonly receipt_no: number;
  readonly deletion_request_id: string;
  readonly document: string;
  readonly hash: string;
}

/** As if the last deletion had not been completed, or never requested. */
export function cutReceipts(database: DatabaseSync, random: Random): string | undefined {
  const rows = rowsOf(database, "receipt") as readonly ReceiptRow[];
  const last = rows.at(-1);
  const before = rows.at(-2);
  if (last === undefined || before === undefined) return undefined;
  const { deletion_request_id: id } = last;
  database.prepare("DELETE FROM receipt WHERE receipt_no = ?").run(last.receipt_no);
  database.prepare(moveReceiptsEnd).run(before.receipt_no, before.hash);
  const isReopened = random.chance(0.5);
  const sql = isReopened
    ? "UPDATE deletion SET status = 'pending', completed_at = NULL, started_at = NULL WHERE deletion_request_id = ?"
    : "DELETE FROM deletion WHERE deletion_request_id = ?";
  database.prepare(sql).run(id);
  return `the last receipt is removed, the end is moved, and its deletion is ${isReopened ? "reopened" : "removed"}`;
}

/**
 * The document and its deletion agree, and the chain is consistent; only the signature is wrong.
 */
export function rewriteReceipts(database: DatabaseSync, random: Random): string | undefined {
  const rows = rowsOf(database, "receipt") as readonly ReceiptRow[];
  const from = random.integer(0, rows.length - 1);
  const changed = rows[from];
  if (changed === undefined) return undefined;
  let previous = (JSON.parse(changed.document) as Receipt).previous_receipt;
  let last = changed;
  for (const [index, row] of rows.slice(from).entries()) {
    const receipt = JSON.parse(row.document) as Receipt;
    const asked = index === 0 ? { ...receipt.asked, reason: "another reason" } : receipt.asked;
    // After the gap of a restore the receipt names one that does not exist.
    const isAfterGap = rows[from + index - 1]?.receipt_no !== row.receipt_no - 1;
    const kept = isAfterGap ? receipt.previous_receipt : previous;
    const document = canonicalJson({ ...receipt, asked, previous_receipt: kept });
    last = { ...row, document, hash: digest("sha256", document) };
    database
      .prepare("UPDATE receipt SET document = ?, hash = ? WHERE receipt_no = ?")
      .run(last.document, last.hash, last.receipt_no);
    previous = last.hash;
  }
  database.prepare(moveReceiptsEnd).run(last.receipt_no, last.hash);
  database
    .prepare("UPDATE deletion SET reason = 'another reason' WHERE deletion_request_id = ?")
    .run(changed.deletion_request_id);
  return `receipt ${changed.receipt_no} gets another reason, and all after it fit`;
}
