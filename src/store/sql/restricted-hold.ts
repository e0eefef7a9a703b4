// Legal holds on records that move to the restricted store: they go with the record. The audit trail states them again, with the
// record's new organization id, and so does the ledger.

import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Act } from "../act.ts";
import { describeHold } from "../row/hold-row.ts";
import { auditAct } from "./audit.ts";
import { findHoldsOf, hasHolds } from "./hold.ts";
import { run, type Statements } from "./statements.ts";

const moveHold = `UPDATE hold SET organization_id = $2 WHERE hold_id = $1`;

/** Records of one statement. */
const recordsAtOnce = 500;

/** Of these records, which are of one organization. */
export function* moveHolds(keys: readonly RecordKey[], set: string, act: Act): Statements<void> {
  const [first] = keys;
  if (first === undefined || !(yield* hasHolds(first.organizationId))) return;
  for (let at = 0; at < keys.length; at += recordsAtOnce) {
    for (const before of yield* findHoldsOf(keys.slice(at, at + recordsAtOnce))) {
      const hold = { ...before, organizationId: set };
      yield* run(moveHold, hold.holdId, set);
      const detail = describeHold(hold, "restricted");
      yield* auditAct({ action: "hold.place", organizationId: set, subject: hold, detail }, act);
    }
  }
}
