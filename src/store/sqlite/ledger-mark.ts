// How far each ledger outside the store was known to reach, so that one that was cut short shows. Reads no ledger.

import type { LedgerMark } from "../replay.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

const findAll = `
  SELECT ledger_id AS ledgerId, frame_end AS end, digest, noted_at AS notedAt
  FROM ledger ORDER BY noted_at DESC, ledger_id LIMIT 1000`;

/** Of two processes that note the same ledger, the one that is behind changes nothing. */
const insertMark = `
  INSERT INTO ledger (ledger_id, frame_end, digest, noted_at) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    frame_end = excluded.frame_end, digest = excluded.digest, noted_at = excluded.noted_at
  WHERE excluded.frame_end > frame_end`;

export function listLedgerMarks(connection: Connection): readonly LedgerMark[] {
  return connection.all<LedgerMark>(findAll).map((row) => ({ ...row }));
}

export function markLedger({ connection }: Group, { mark }: { readonly mark: LedgerMark }): void {
  connection.run(insertMark, mark.ledgerId, mark.end, mark.digest, mark.notedAt);
}
