// Looks whether references that an erasure was to take out are still in the changes of records that stay: in the payloads
// themselves, not in the relations by which they were taken out. Changes no payload.

import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { redactPayload } from "../../redact-payload.ts";
import type { Transaction } from "../transaction.ts";

const findSuspects = `
  SELECT position, target.resource_type, to_type, to_id, payload
  FROM deletion_target AS target
    JOIN change USING (organization_id, resource_type, resource_id)
  WHERE deletion_request_id = $1 AND action = 'redact'
    AND strpos(payload, to_json(to_id)::text) > 0`;

const doAgain = `
  UPDATE deletion_target SET done = false WHERE deletion_request_id = $1 AND position = $2`;

interface SuspectRow {
  readonly position: number;
  readonly resource_type: string;
  readonly to_type: string;
  readonly to_id: string;
  readonly payload: string;
}

/** How many targets have to be done again; they are put back into the plan. */
export async function reopenUnredacted(
  transaction: Transaction,
  deletionRequestId: string,
): Promise<number> {
  const suspects = await transaction.all<SuspectRow>(findSuspects, deletionRequestId);
  const left = new Set(suspects.filter(isLeft).map(({ position }) => position));
  for (const position of left) await transaction.run(doAgain, deletionRequestId, position);
  return left.size;
}

/** The same text may stand in a field that is no reference. */
function isLeft({ resource_type, to_type, to_id, payload }: SuspectRow): boolean {
  const gone = new Set([nodeKey(to_type, to_id)]);
  return redactPayload(resource_type, payload, gone) !== payload;
}
