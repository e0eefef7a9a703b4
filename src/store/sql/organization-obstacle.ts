// What keeps the deletion of everything of an organization from beginning. Nothing is erased while any obstacle remains.

import { organizationType } from "../../domain/deletion/organization-deletion.ts";
import { get, type Statements } from "./statements.ts";

const findAnyHold = `
  SELECT resource_type, resource_id FROM hold WHERE organization_id = $1
  ORDER BY placed_at, hold_id LIMIT 1`;

const findProcessing = `
  SELECT deletion_request_id FROM deletion
  --sqlite INDEXED BY deletion_open
  WHERE organization_id = $1 AND status IN ('pending', 'processing') AND status = 'processing'
    AND resource_type <> $2
  LIMIT 1`;

export interface ObstacleOfAll {
  readonly waitingFor: string;
  readonly held: boolean;
}

/** A hold on any record, or a deletion of single records that is not finished. */
export function* findObstacleOfAll(organizationId: string): Statements<ObstacleOfAll | undefined> {
  const hold = yield* get<{ resource_type: string; resource_id: string }>(
    findAnyHold,
    organizationId,
  );
  if (hold !== undefined) {
    return { waitingFor: `a hold on ${hold.resource_type} ${hold.resource_id}`, held: true };
  }
  const other = yield* get<{ deletion_request_id: string }>(
    findProcessing,
    organizationId,
    organizationType,
  );
  if (other === undefined) return undefined;
  return {
    waitingFor: `the deletion ${other.deletion_request_id}, which is processing`,
    held: false,
  };
}
