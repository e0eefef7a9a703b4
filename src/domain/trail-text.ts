// The texts whose SHA-256 stands in the audit trail for what must not be repeated there: ids of records, and what a deletion was
// asked for with. Hashes nothing itself.

import type { RecordKey } from "./record/record-write.ts";

export interface RequestText extends RecordKey {
  readonly deletionRequestId: string;
  readonly reason: string;
  readonly requestedBy: string;
  readonly requestedAt: number;
}

/** Everything of a deletion request that never changes. */
export function textOfRequest(request: RequestText): string {
  const { deletionRequestId, organizationId, resourceType, resourceId } = request;
  const { reason, requestedBy, requestedAt } = request;
  const record = [organizationId, resourceType, resourceId];
  return JSON.stringify([deletionRequestId, ...record, reason, requestedBy, requestedAt]);
}

export function textOfRecord({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${organizationId}/${resourceType}/${resourceId}`;
}
