// The parts of verifying an erasure that are the same on every engine: searching payloads for references that should be
// redacted, and completing the deletion. Searching for what is left of erased records is each engine's own.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { nodeKey } from "../../domain/deletion/erasure.ts";
import type { SealingHead } from "../../domain/deletion/receipt.ts";
import type { Act } from "../act.ts";
import type { Gone } from "../gone.ts";
import { describeReceipt } from "../row/audit-row.ts";
import type { SealedReceipt } from "../store.ts";
import { noteOfDeletion, readExistingDeletion } from "./deletion.ts";
import { auditActs } from "./audit.ts";
import { removePseudonym } from "./pseudonym.ts";
import { lockReceiptHead, storeReceipt } from "./receipt.ts";
import { endSet, openSet } from "./restricted-set.ts";
import { all, run, type Statements } from "./statements.ts";

/** In the payloads themselves, not in the relations by which the references were redacted. */
const findSuspects = `
  SELECT position, target.resource_type, to_type, to_id, payload
  FROM deletion_target AS target
    --sqlite JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite JOIN change ON change.record_no = record.record_no
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  WHERE deletion_request_id = $1 AND position > $2 AND position <= $3 AND action = 'redact'
    --sqlite AND restricted = 0
    --postgres AND NOT restricted
    --sqlite AND instr(payload, json_quote(to_id)) > 0
    --postgres AND strpos(payload, to_json(to_id)::text) > 0
  `;

const doAgain = `
  UPDATE deletion_target SET done = false WHERE deletion_request_id = $1 AND position = $2`;

const removeTargets = `DELETE FROM deletion_target WHERE deletion_request_id = $1`;

const setCompleted = `
  UPDATE deletion SET
    status = 'completed', completed_at = $2, waiting_for = NULL, held = false,
    floor_until = NULL, next_attempt_at = NULL, lease_until = NULL, claimant = NULL
  WHERE deletion_request_id = $1 AND status = 'processing'`;

/** Differs from every id. */
const anyPseudonym = "";

interface SuspectRow {
  readonly position: number;
  readonly resource_type: string;
  readonly to_type: string;
  readonly to_id: string;
  readonly payload: string;
}

/** Returns the payload without references to these records, and with the pseudonyms of parties. */
export type Redact = (type: string, payload: string, gone: Gone) => string;

export interface Unredacted {
  /** The target before the first one to check. */
  readonly after: number;
  /** The last target to check. */
  readonly upTo: number;
  readonly redact: Redact;
}

/** Puts targets whose reference is still in a payload back into the plan, and returns how many there are. */
export function* reopenUnredacted(
  deletionRequestId: string,
  { after, upTo, redact }: Unredacted,
): Statements<number> {
  const suspects = yield* all<SuspectRow>(findSuspects, deletionRequestId, after, upTo);
  // The same text may be in a field that is not a reference.
  const left = suspects.filter(({ resource_type, to_type, to_id, payload }) => {
    const gone = new Map([[nodeKey(to_type, to_id), anyPseudonym]]);
    return redact(resource_type, payload, gone) !== payload;
  });
  const positions = new Set(left.map(({ position }) => position));
  for (const position of positions) yield* run(doAgain, deletionRequestId, position);
  return positions.size;
}

export interface Completing {
  readonly act: Act;
  /** The receipt of the completed deletion. Left out only by tests of an engine. */
  readonly seal: ((completed: Deletion, head: SealingHead) => SealedReceipt) | undefined;
}

/** In the transaction of the verification pass that found nothing left. */
export function* finishDeletion(
  deletion: Deletion,
  { act, seal }: Completing,
): Statements<Deletion> {
  const { deletionRequestId } = deletion;
  yield* run(removeTargets, deletionRequestId);
  yield* removePseudonym(deletionRequestId);
  const opened = yield* openSet(deletion, act);
  yield* endSet(deletion);
  yield* run(setCompleted, deletionRequestId, act.now);
  const completed = yield* readExistingDeletion(deletionRequestId);
  const sealed = seal?.(completed, yield* lockReceiptHead());
  if (sealed !== undefined) yield* storeReceipt(sealed, act);
  // No numbers: the trail is shown to people who may not know that there was a report.
  const detail = { ...describeReceipt(sealed) };
  const note = noteOfDeletion(deletion, "complete", detail);
  yield* auditActs(
    [...(opened === undefined ? [] : [opened]), note].map((one) => ({ ...act, note: one })),
  );
  return completed;
}
