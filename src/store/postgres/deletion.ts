// Deletion requests, each once for an Idempotency-Key. The statements that every engine shares are in ../sql.

import { openDeletion } from "../sql/deletion.ts";
import type { Act, DeletionRequest } from "../store.ts";
import { Collision } from "./failure.ts";
import { once } from "./commit/idempotency.ts";
import type { Transaction } from "./transaction.ts";

/** The id of the open deletion, whether it is new or not; null if there is no such record. */
export function requestDeletion(
  transaction: Transaction,
  request: DeletionRequest,
  act: Act,
): Promise<string | null> {
  const { organizationId, idempotency: mark } = request;
  return once(transaction, { organizationId, mark, now: act.now }, async () => {
    const outcome = await transaction.perform(openDeletion, request, act);
    if (outcome === "collision") {
      throw new Collision("another process has opened a deletion of the record");
    }
    return outcome === "no_such_record" ? null : outcome.deletionRequestId;
  });
}
