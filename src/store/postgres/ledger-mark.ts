// How far each ledger outside the store was known to reach, so that one that was cut short shows. Reads no ledger.

import type { LedgerMark } from "../replay.ts";
import type { Transaction } from "./transaction.ts";

const findAll = `
  SELECT ledger_id AS "ledgerId", frame_end AS "end", digest, noted_at AS "notedAt"
  FROM ledger ORDER BY noted_at DESC, ledger_id LIMIT 1000`;

/** Of two processes that note the same ledger, the one that is behind changes nothing. */
const insertMark = `
  INSERT INTO ledger (ledger_id, frame_end, digest, noted_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (ledger_id) DO UPDATE SET
    frame_end = excluded.frame_end, digest = excluded.digest, noted_at = excluded.noted_at
  WHERE excluded.frame_end > ledger.frame_end`;

export function listLedgerMarks(transaction: Transaction): Promise<readonly LedgerMark[]> {
  return transaction.all<LedgerMark>(findAll);
}

export async function markLedger(transaction: Transaction, mark: LedgerMark): Promise<void> {
  await transaction.run(insertMark, mark.ledgerId, mark.end, mark.digest, mark.notedAt);
}
