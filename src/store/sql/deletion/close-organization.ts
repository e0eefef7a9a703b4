// Closes an organization, and opens the deletion of everything that belongs to it. There is a function for each: an
// export may come in between, and a restricted set, which has an organization id of its own, is deleted in the same
// way.

import type { Organization } from "../../../domain/access.ts";
import {
  type CompleteExport,
  organizationType,
} from "../../../domain/deletion/organization-deletion.ts";
import type { Proposal } from "../../../domain/proposal.ts";
import type { Act } from "../../interface/act.ts";
import { storeParts } from "../store-parts.ts";
import type { Unapproved } from "../../interface/proposal.ts";
import {
  seekApproval,
  auditApproval,
  approveDeletion,
  findProposal,
} from "../proposal/proposal.ts";
import { auditAct } from "../trail/audit.ts";
import { credentialsChanged, findOrganization, lockOrganization } from "../access/organization.ts";
import { insertDeletions, noteOfRequest } from "./open-deletion.ts";
import { run, type Statements } from "../statement/statements.ts";

/** The deletion of everything that belongs to a closed organization. */
export interface OrganizationDeletionRequest {
  readonly organizationId: string;
  readonly deletionRequestId: string;
  readonly reason: string;
  readonly requestedBy: string;
  /** What was exported before; the request records it. */
  readonly exported?: CompleteExport | undefined;
}

export interface OpenedDeletion {
  readonly deletionRequestId: string;
  /** False if the deletion had already been requested. */
  readonly isNew: boolean;
}

const setClosed = `
  UPDATE organization SET closed_at = $1 WHERE organization_id = $2`;

const revokeKeys = `
  UPDATE api_key SET revoked_at = $1 WHERE organization_id = $2 AND revoked_at IS NULL`;

/** For a replay in a store that is older than the organization: nobody may create the organization again. */
const insertClosed = `
  INSERT INTO organization
    (organization_id, name, strict_scopes, deletion_grace_seconds, created_at, closed_at)
  VALUES ($1, $1, false, 0, $2, $2) ON CONFLICT DO NOTHING`;

const setDeletion = `
  UPDATE organization SET deletion_request_id = $1 WHERE organization_id = $2`;

/**
 * Ends the access of the organization: its keys are revoked, its writes are refused with AppError
 * credential_revoked, and features end what they do for it. Undefined if there is no such organization. Closing it a
 * second time changes nothing. `exporting`: its records will be exported before they are deleted, which the audit trail
 * states. `reason`: of the deletion that follows; a second person approves both.
 */
export function* closeOrganization(
  organizationId: string,
  act: Act,
  { exporting = false, reason = "" } = {},
): Statements<Organization | Unapproved | undefined> {
  const organization = yield* lockOrganization(organizationId);
  if (organization !== undefined && organization.closedAt === undefined) {
    const consent = yield* seekApproval(act, {
      organizationId,
      act: "organization.close",
      parameters: { reason, exporting },
      state: {},
      isNeeded: organization.deletionApproval === true,
    });
    if ("unapproved" in consent) return consent;
    yield* run(setClosed, act.now, organizationId);
    const keysRevoked = yield* run(revokeKeys, act.now, organizationId);
    yield* credentialsChanged();
    for (const { close } of (yield* storeParts()).list) if (close) yield* close(organizationId);
    const subject = organizationId;
    const detail = { keysRevoked, exporting };
    yield* auditAct({ action: "organization.close", organizationId, subject, detail }, act);
    yield* auditApproval(consent, act);
  }
  return yield* findOrganization(organizationId);
}

/** The organization must be closed. It has one such deletion, due at once, however often it is requested. */
export function* requestOrganizationDeletion(
  { organizationId, deletionRequestId, reason, requestedBy, exported }: OrganizationDeletionRequest,
  act: Act,
): Statements<OpenedDeletion> {
  const organization = yield* lockOrganization(organizationId);
  const { closedAt, deletionRequestId: existingId } = organization ?? {};
  if (closedAt === undefined) throw new TypeError("the organization is not closed");
  if (existingId !== undefined) return { deletionRequestId: existingId, isNew: false };
  const request = {
    organizationId,
    deletionRequestId,
    reason,
    requestedBy,
    resourceType: organizationType,
    resourceId: organizationId,
    dueAt: act.now,
  };
  const approving = new Set(organization?.deletionApproval === true ? [organizationId] : []);
  const proposal = yield* findApproved(act);
  // The person who proposed the closing has asked for the deletion, too.
  const asking = proposal === undefined ? act : { actor: proposal.proposedBy, now: act.now };
  yield* insertDeletions([{ request, act: asking }], approving);
  yield* run(setDeletion, deletionRequestId, organizationId);
  const note = noteOfRequest(request, { act: asking, approving });
  const detail = exported === undefined ? {} : { export: { ...exported } };
  yield* auditAct({ ...note, detail: { ...note.detail, ...detail } }, asking);
  if (proposal !== undefined && approving.size > 0) yield* approveDeletion(deletionRequestId, act);
  return { deletionRequestId, isNew: true };
}

/** The proposal that the actor has approved by closing the organization. */
function* findApproved({ approves, actor }: Act): Statements<Proposal | undefined> {
  const proposal = approves === undefined ? undefined : yield* findProposal(approves);
  return proposal?.status === "approved" && proposal.decidedBy === actor ? proposal : undefined;
}

interface ClosedBefore extends Pick<
  OrganizationDeletionRequest,
  "organizationId" | "deletionRequestId"
> {
  /** When the organization was closed, which requests its deletion. */
  readonly closedAt: number;
}

/** Closes the organization of a deletion that is replayed, because a restore has reopened it. */
export function* closeAgain(
  { organizationId, deletionRequestId, closedAt }: ClosedBefore,
  act: Act,
): Statements<void> {
  const before = yield* lockOrganization(organizationId);
  if (before === undefined) yield* run(insertClosed, organizationId, closedAt);
  else if (before.closedAt === undefined) {
    yield* closeOrganization(organizationId, act);
    yield* run(setClosed, closedAt, organizationId);
  }
  yield* run(setDeletion, deletionRequestId, organizationId);
}
