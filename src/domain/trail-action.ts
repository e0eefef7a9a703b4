// The actions of the audit trail, and what the actor of each did; features add some of their own.
// docs/reference/audit-actions.md is generated from it.

import type { FeatureName } from "../basics/name-rows.ts";
import type { Deletion } from "./deletion/deletion.ts";
import type { RecordKey } from "./record/record-write.ts";

/** The keys are the actions of audit entries; no entry with another action can be written. */
export const trailActions = {
  "organization.create": "created an organization",
  "organization.change": "changed the settings of an organization",
  "organization.close": "closed an organization",
  "key.create": "created an API key",
  "key.rotate": "rotated an API key",
  "key.revoke": "revoked an API key",
  "record.show": "read the content of a record",
  "records.export": "exported records of an organization",
  "subject.index": "began to build the indexes of persons and companies again",
  "deletion.request": "requested a deletion",
  "deletion.approve": "approved a deletion",
  "deletion.cancel": "cancelled a deletion",
  "erasures.export": "exported a report of erasures",
  "deletion.start": "began a deletion",
  "deletion.complete": "completed a deletion",
  "deletion.reopen": "began to replay a deletion after a restore",
  "hold.place": "placed a legal hold",
  "hold.release": "released a legal hold",
  "retention.set": "set the retention of a type",
  "retention.remove": "removed the retention of a type",
  "restricted.list": "listed restricted sets",
  "restricted.show": "read a restricted set",
  "restricted.export": "exported a restricted set",
  "proposal.create": "proposed an act to a second person",
  "proposal.approve": "approved a proposed act",
  "proposal.decline": "declined a proposed act",
  "proposal.expire": "ended a proposal that has expired",
  "proposal.bypass": "did an act without a second person",
  "receipt.disclose": "disclosed the numbers of a receipt",
  "receipt.export": "exported receipts",
  "receipt_key.create": "began to sign receipts with a new key",
  "receipt_key.retire": "replaced a key of receipts",
  "export.manifest": "signed the manifest of an export",
  "audit.export": "exported the audit trail",
  "operator.create": "created an operator",
  "operator.confirm": "confirmed an officer",
  "operator.roles": "changed the roles of an operator",
  "operator.disable": "disabled an operator",
  "operator.link": "created a sign-in link",
  "operator.sign_in": "signed in",
  "operator.session_end": "ended a session",
  "operator.passkey_add": "added a passkey",
  "operator.passkey_remove": "removed a passkey",
  "clock.confirm": "confirmed the clock after a jump",
  "store.backup": "made a backup",
  "store.restore": "restored the store from a backup",
  "store.replay": "replayed the deletions since a backup",
} as const;

type OwnAction = keyof typeof trailActions;
export type TrailAction = OwnAction | FeatureName;

/** The verbs of the actions, by kind of object. */
export type VerbOn<Kind extends string> = OwnAction extends infer Action
  ? Action extends `${Kind}.${infer Verb}`
    ? Verb
    : never
  : never;

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
