// What the store knows of the ledgers outside it: whether it has what a ledger says that it had, or was put back to an
// earlier state; and up to where each is known, so that a truncated one is noticed. Reads no ledger.

import type { MustHave } from "../../interface/ledger.ts";
import { allTogether, type Statements, list, run } from "../statement/statements.ts";
import { inNamedIds } from "../statement/named.ts";
import type { LedgerMark } from "../../interface/replay.ts";
import { reader } from "../../row/reader.ts";

const findEntry = `SELECT hash FROM audit_entry WHERE entry_no = $1`;

const findReceipt = `SELECT hash FROM receipt WHERE receipt_no = $1`;

const findDeletions = `
  SELECT deletion_request_id FROM deletion WHERE ${inNamedIds("deletion_request_id")}`;

interface HashRow {
  readonly hash: string;
}

/** The last head of the trail, the last receipt, and each deletion that was about to be completed. */
export function* continues({
  auditAnchor,
  lastReceipt,
  inProgress,
}: MustHave): Statements<boolean> {
  const ids = [...new Set(inProgress.map(({ deletionRequestId }) => deletionRequestId))];
  const [entries, receipts, deletions] = yield* allTogether<
    readonly [HashRow[], HashRow[], unknown[]]
  >([findEntry, auditAnchor?.no ?? 0], [findReceipt, lastReceipt?.no ?? 0], [findDeletions, ids]);
  const isThere = (link: MustHave["lastReceipt"], [row]: readonly HashRow[]) =>
    link === undefined || link.no === 0 || row?.hash === link.hash;
  return (
    isThere(auditAnchor, entries) &&
    isThere(lastReceipt, receipts) &&
    deletions.length === ids.length
  );
}

const findAll = `
  SELECT ledger_id, frame_end AS "end", digest, noted_at
  FROM ledger ORDER BY noted_at DESC, ledger_id LIMIT 1000`;

/** If two processes mark the same ledger, the lower mark changes nothing. */
const insertMark = `
  INSERT INTO ledger (ledger_id, frame_end, digest, noted_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (ledger_id) DO UPDATE SET
    frame_end = excluded.frame_end, digest = excluded.digest, noted_at = excluded.noted_at
  WHERE excluded.frame_end > ledger.frame_end`;

const toMark = reader<LedgerMark>({});

export function* listLedgerMarks() {
  return yield* list(toMark, findAll);
}

export function* markLedger(mark: LedgerMark): Statements<void> {
  yield* run(insertMark, mark.ledgerId, mark.end, mark.digest, mark.notedAt);
}
