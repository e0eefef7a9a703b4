// Closes an organization in three steps: access ends; if the caller wants it, the records are exported; then one
// transaction requests the deletion of everything that belongs to it, and records that the export is complete. Each
// step is durable before the next, and the same call continues what was interrupted. Erases nothing itself.

import type { Organization } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { CompleteExport } from "../../domain/deletion/organization-deletion.ts";
import type { Act } from "../../store/interface/act.ts";
import { actTogether, requireApproved } from "../proposal/second-person.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { findOrganization } from "./find-organization.ts";
import { findDeletion } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { findEntry } from "../pages.ts";

export interface Closing {
  readonly organizationId: string;
  readonly reason: string;
  /** Called when nothing can change any more; nothing is deleted unless it resolves, after syncing the whole export. */
  readonly exportAll?: ((closed: Organization) => Promise<CompleteExport>) | undefined;
  /** True to erase an organization that an earlier call has closed for an export, without that export. */
  readonly withoutExport?: boolean;
}

export interface ClosedOrganization {
  readonly organization: Organization;
  readonly deletion: Deletion;
}

/** Throws OperatorError organization_closed and export_wanted, and what `exportAll` throws. */
export async function closeOrganization(
  app: App,
  { organizationId, reason, exportAll, withoutExport = false }: Closing,
): Promise<ClosedOrganization> {
  requireRight(app, "organization.close");
  await findClosable(app, organizationId);
  const exporting = exportAll !== undefined;
  const act = await endAccess(app, { organizationId, reason, exporting });
  const closed = await findOrganization(app, organizationId);
  if (!exporting && !withoutExport) await requireNoExport(app, closed);
  const exported = await exportAll?.(closed);
  const request = {
    organizationId,
    exported,
    deletionRequestId: makeId("del"),
    reason,
    // For the organization, as in other deletions.
    requestedBy: "operator",
  };
  const opened = await app.store.requestOrganizationDeletion(request, act);
  // Another process may have closed it meanwhile.
  if (!opened.isNew) await findClosable(app, organizationId);
  return {
    organization: await findOrganization(app, organizationId),
    deletion: await findDeletion(app, opened.deletionRequestId),
  };
}

/**
 * The first step alone. Returns the act, which the other steps belong to. Throws OperatorError not_permitted, and what
 * `requireApproved` throws.
 */
export async function endAccess(
  app: App,
  { organizationId, ...how }: Pick<Closing, "organizationId" | "reason"> & { exporting: boolean },
): Promise<Act> {
  requireRight(app, "organization.close");
  const act = actTogether(app);
  requireApproved(app, await app.store.closeOrganization(organizationId, act, how));
  return act;
}

/**
 * Undefined unless it is closed and its deletion was requested. Throws OperatorError not_permitted and
 * no_such_organization.
 */
export async function findClosed(
  app: App,
  organizationId: string,
): Promise<ClosedOrganization | undefined> {
  requireRight(app, "organization.close");
  const organization = await findOrganization(app, organizationId);
  const { closedAt, deletionRequestId } = organization;
  if (closedAt === undefined || deletionRequestId === undefined) return undefined;
  return { organization, deletion: await findDeletion(app, deletionRequestId) };
}

/** An unfinished or interrupted export must not lose records. */
async function requireNoExport(app: App, organization: Organization): Promise<void> {
  if (!(await wasToExport(app, organization))) return;
  throw new OperatorError(
    "export_wanted",
    `Nothing was changed. The closing of the organization "${organization.organizationId}" was to export its records first. ` +
      "That export is still being made, or was interrupted.",
  );
}

/** True if that is unknown. */
export async function wasToExport(app: App, organization: Organization): Promise<boolean> {
  const { organizationId, closedAt = 0 } = organization;
  const [from, until] = [closedAt, closedAt + 1];
  const entry = await findEntry(app, { organizationId, action: "organization.close", from, until });
  return entry?.detail["exporting"] !== false;
}

/** The organization, if it is open or its closing was interrupted. Throws OperatorError organization_closed. */
export async function findClosable(app: App, organizationId: string): Promise<Organization> {
  const organization = await findOrganization(app, organizationId);
  const { closedAt, deletionRequestId } = organization;
  if (closedAt === undefined || deletionRequestId === undefined) return organization;
  throw new OperatorError(
    "organization_closed",
    `The organization "${organizationId}" was closed at ${new Date(closedAt).toISOString()} already.`,
    { context: { deletionRequestId } },
  );
}

/** Throws OperatorError no_such_organization and organization_closed. */
export async function findOpenOrganization(
  app: App,
  organizationId: string,
): Promise<Organization> {
  const organization = await findOrganization(app, organizationId);
  if (organization.closedAt === undefined) return organization;
  throw new OperatorError(
    "organization_closed",
    `The organization "${organizationId}" is closed; it can't be changed, and accepts no records, keys or deletions.`,
  );
}
