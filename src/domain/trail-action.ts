// The actions of the audit trail, and what each says; features add some of their own.
// docs/reference/audit-actions.md is generated from it.

import type { FeatureName } from "../basics/name-rows.ts";
import type { Deletion } from "./deletion/deletion.ts";
import type { RecordKey } from "./record/record-write.ts";

/** The keys are the actions of audit entries; no entry with another action can be written. */
export const trailActions = {
  "organization.create": "An organization was created.",
  "organization.change": "The settings of an organization were changed.",
  "organization.close": "An organization was closed.",
  "key.create": "An API key was created.",
  "key.rotate": "An API key was rotated.",
  "key.revoke": "An API key was revoked.",
  "record.show": "The content of a record was shown.",
  "records.export": "Records of an organization were exported.",
  "subject.index": "The indexes of persons and companies are built again.",
  "deletion.request": "A deletion was requested.",
  "deletion.approve": "A deletion was approved.",
  "deletion.cancel": "A deletion was cancelled.",
  "erasures.export": "A report of erasures was exported.",
  "deletion.start": "A deletion has begun.",
  "deletion.complete": "A deletion was completed.",
  "deletion.reopen": "A deletion is replayed after a restore.",
  "hold.place": "A legal hold was placed.",
  "hold.release": "A legal hold was released.",
  "retention.set": "The retention of a type was set.",
  "retention.remove": "The retention of a type was removed.",
  "restricted.list": "Restricted sets were listed.",
  "restricted.show": "A restricted set was shown.",
  "restricted.export": "A restricted set was exported.",
  "proposal.create": "An act was proposed to a second person.",
  "proposal.approve": "A proposed act was approved.",
  "proposal.decline": "A proposed act was declined.",
  "proposal.expire": "A proposal has expired.",
  "proposal.bypass": "An act was done without a second person.",
  "receipt.disclose": "The numbers of a receipt were disclosed.",
  "receipt.export": "Receipts were exported.",
  "receipt_key.create": "Receipts are signed with a new key.",
  "receipt_key.retire": "A key of receipts was replaced.",
  "export.manifest": "The manifest of an export was signed.",
  "audit.export": "The audit trail was exported.",
  "operator.create": "An operator was created.",
  "operator.confirm": "An officer was confirmed.",
  "operator.roles": "The roles of an operator have changed.",
  "operator.disable": "An operator was disabled.",
  "operator.link": "A sign-in link was created.",
  "operator.sign_in": "An operator has signed in.",
  "operator.session_end": "A session has ended.",
  "operator.passkey_add": "A passkey was added.",
  "operator.passkey_remove": "A passkey was removed.",
  "clock.confirm": "The clock was confirmed after a jump.",
  "store.backup": "A backup was made.",
  "store.restore": "The store was restored from a backup.",
  "store.replay": "The deletions since a backup were replayed.",
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
