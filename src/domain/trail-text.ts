// Texts whose SHA-256 is in the audit trail instead of what must not be repeated there: ids of records, and deletion
// requests.

import type { Deletion } from "./deletion/deletion.ts";
import type { RecordKey } from "./record/record-write.ts";

export type RequestText = RecordKey &
  Pick<Deletion, "deletionRequestId" | "reason" | "basis" | "requestedBy" | "requestedAt">;

/** All fields of a deletion request that never change. */
export function textOfRequest(request: RequestText): string {
  const { deletionRequestId, organizationId, resourceType, resourceId } = request;
  const { reason, basis, requestedBy, requestedAt } = request;
  const record = [organizationId, resourceType, resourceId];
  return JSON.stringify([deletionRequestId, ...record, reason, basis, requestedBy, requestedAt]);
}

export function textOfRecord({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${organizationId}/${resourceType}/${resourceId}`;
}

/** The trail outlives the record, so it has a digest of the id: enough to recognize it, not to read it. */
export function subjectOfRecord(key: RecordKey, sha256: (text: string) => string): string {
  return `${key.resourceType} sha256:${sha256(textOfRecord(key))}`;
}
