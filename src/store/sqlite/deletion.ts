// Deletion requests in a group of writes, which is told when one was opened or ended. The statements are in ../sql.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import * as deletions from "../sql/deletion.ts";
import type { Act, CancelOutcome, DeletionRequest } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./commit/group.ts";
import { once } from "./commit/idempotency.ts";

const voidLeases = `
  UPDATE deletion SET lease_until = 0, claimant = NULL
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND lease_until IS NOT NULL`;

/** Of a plan that was being written, and of a deletion that was cancelled meanwhile. */
const removeUnfinishedPlans = `
  DELETE FROM deletion_target WHERE deletion_request_id IN (
    SELECT DISTINCT deletion_request_id FROM deletion_target
    EXCEPT SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
      WHERE status IN ('pending', 'processing') AND status = 'processing')`;

const voidPlanning = `
  UPDATE deletion SET next_attempt_at = NULL, claimant = NULL, waiting_for = NULL
  WHERE status IN ('pending', 'processing') AND status = 'pending' AND claimant IS NOT NULL`;

/** The id of the open deletion, whether it is new or not; null if there is no such record. */
export function requestDeletion(
  group: Group,
  { request, act }: { readonly request: DeletionRequest; readonly act: Act },
): string | null {
  const { organizationId, idempotency: mark } = request;
  return once(group, { organizationId, mark, now: act.now }, () => {
    const outcome = group.connection.perform(deletions.openDeletion, request, act);
    if (outcome === "collision") throw new TypeError("there is no other writer");
    group.deletionsChanged();
    return outcome === "no_such_record" ? null : outcome.deletionRequestId;
  });
}

export function cancelDeletion(
  group: Group,
  args: { readonly deletionRequestId: string; readonly act: Act },
): CancelOutcome {
  const outcome = group.connection.perform(deletions.cancelDeletion, args);
  group.deletionsChanged();
  return outcome;
}

/** There is one serving process, so whatever was under way when it starts is nobody's. */
export function voidAllLeases({ connection }: Group): void {
  connection.run(voidLeases);
  connection.run(removeUnfinishedPlans);
  connection.run(voidPlanning);
}

export function readExistingDeletion(connection: Connection, deletionRequestId: string): Deletion {
  return connection.perform(deletions.readExistingDeletion, deletionRequestId);
}

type Event = Parameters<typeof deletions.auditDeletion>;

export function noteDeletion(connection: Connection, event: Event[0] & Event[1]): void {
  connection.perform(deletions.auditDeletion, event, event);
}
