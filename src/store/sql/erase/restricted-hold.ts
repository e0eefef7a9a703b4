// Legal holds on records that move to the restricted store: they move with the record. The audit trail and the ledger
// record them again, with the record's new organization id.

import { describeHold, type Hold } from "../../../domain/access.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { keyText } from "../../shared/record-key.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { named } from "../statement/named.ts";
import { Rows, run, type Statements } from "../statement/statements.ts";

const moveHoldsOf = `
  UPDATE hold SET organization_id = named.owner FROM ${named("id", "owner")}
  WHERE hold_id = named.id`;

/** How many records one statement handles. */
const recordsAtOnce = 500;

export interface MovedRecord extends RecordKey {
  /** The organization id of the restricted set. */
  readonly set: string;
}

/**
 * Returns the audit notes of the holds, for the end of the step. Runs the same number of statements without a hold, and
 * without records, because the time must not disclose either.
 */
export function* moveHolds(records: readonly MovedRecord[]): Statements<readonly AuditNote[]> {
  const notes: AuditNote[] = [];
  const sets = new Map(records.map((record) => [keyText(record), record.set]));
  for (let at = 0; at === 0 || at < records.length; at += recordsAtOnce) {
    const holds = yield* findHoldsOf(records.slice(at, at + recordsAtOnce));
    const moved = holds.map((hold) => [hold, sets.get(keyText(hold)) ?? ""] as const);
    yield* run(
      moveHoldsOf,
      new Rows(
        moved.map(([{ holdId }, set]) => [holdId, set]),
        2,
      ),
    );
    notes.push(...moved.map(([hold, set]) => noteOf(hold, set)));
  }
  return notes;
}

function noteOf(before: Hold, set: string): AuditNote {
  const hold = { ...before, organizationId: set };
  const detail = { ...describeHold(hold), because: "restricted" };
  return { action: "hold.place", organizationId: set, subject: hold, detail };
}
