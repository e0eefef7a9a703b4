// Whether the store has what a ledger outside it says that it had. A store that lacks something was put back to an
// earlier state.

import type { MustHave } from "../../interface/ledger.ts";
import { allTogether, type Statements } from "../statement/statements.ts";
import { inNamedIds } from "../statement/named.ts";

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
