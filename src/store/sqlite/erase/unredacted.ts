// Looks whether references that an erasure was to take out are still in the changes of records that stay: in the payloads
// themselves, not in the relations by which they were taken out. Changes no payload.

import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { Connection } from "../connection.ts";
import { redactPayload } from "./redaction.ts";

const findSuspects = `
  SELECT position, target.resource_type, to_type, to_id, payload
  FROM deletion_target AS target
    JOIN record USING (organization_id, resource_type, resource_id)
    JOIN change ON change.record_no = record.record_no
  WHERE deletion_request_id = ? AND position <= ? AND action = 'redact'
    AND instr(payload, json_quote(to_id)) > 0`;

const doAgain = `UPDATE deletion_target SET done = 0 WHERE deletion_request_id = ? AND position = ?`;

interface SuspectRow {
  readonly position: number;
  readonly resource_type: string;
  readonly to_type: string;
  readonly to_id: string;
  readonly payload: string;
}

/** How many targets up to this position have to be done again; they are put back into the plan. */
export function reopenUnredacted(
  connection: Connection,
  deletionRequestId: string,
  upTo: number,
): number {
  const suspects = connection.all<SuspectRow>(findSuspects, deletionRequestId, upTo);
  const left = new Set(suspects.filter(isLeft).map(({ position }) => position));
  for (const position of left) connection.run(doAgain, deletionRequestId, position);
  return left.size;
}

/** The same text may stand in a field that is no reference. */
function isLeft({ resource_type, to_type, to_id, payload }: SuspectRow): boolean {
  const gone = new Set([nodeKey(to_type, to_id)]);
  return redactPayload(resource_type, payload, gone) !== payload;
}
