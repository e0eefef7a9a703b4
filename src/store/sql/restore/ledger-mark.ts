// Up to where each ledger outside the store is known, so that a truncated ledger is noticed. Reads no ledger.

import type { LedgerMark } from "../../interface/replay.ts";
import { reader } from "../../row/reader.ts";
import { list, run, type Statements } from "../statement/statements.ts";

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
