// Legal holds on records that move to the restricted store: they go with the record. The audit trail states them again, with the
// record's new organization id, and so does the ledger.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Act } from "../act.ts";
import { describeHold } from "../row/hold-row.ts";
import type { AuditNote } from "../trail.ts";
import { auditActs } from "./audit.ts";
import { findHoldsOf } from "./hold.ts";
import { run, type Statements } from "./statements.ts";

const moveHoldsOf = `
  UPDATE hold SET organization_id = $1
  WHERE hold_id IN (
    --sqlite SELECT value FROM json_each($2))
    --postgres SELECT unnest($2::text[]))
  `;

/** Records of one statement. */
const recordsAtOnce = 500;

/**
 * Of these records, which are of one organization. Without a hold, as many statements are run as without records, so that the
 * time does not tell.
 */
export function* moveHolds(keys: readonly RecordKey[], set: string, act: Act): Statements<void> {
  for (let at = 0; at === 0 || at < keys.length; at += recordsAtOnce) {
    const holds = yield* findHoldsOf(keys.slice(at, at + recordsAtOnce));
    const ids = holds.map(({ holdId }) => holdId);
    yield* run(moveHoldsOf, set, ids);
    if (holds.length > 0)
      yield* auditActs(holds.map((hold) => ({ ...act, note: noteOf(hold, set) })));
  }
}

function noteOf(before: Hold, set: string): AuditNote {
  const hold = { ...before, organizationId: set };
  const detail = describeHold(hold, "restricted");
  return { action: "hold.place", organizationId: set, subject: hold, detail };
}
