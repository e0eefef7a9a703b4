// Shows an organization with all its settings, and changes them. Changes take effect in serving processes within 2
// seconds.

import type { ApiKey, Organization } from "../../domain/access.ts";
import { findConfidentialityFault } from "../../domain/confidentiality.ts";
import { limits } from "../../domain/limits.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import { titleOf } from "../../domain/record-types.ts";
import { formatDays, type RetentionFloor } from "../../domain/retention/floor.ts";
import { settingsOfTwo, weakensSettings } from "../../domain/proposal.ts";
import type { OrganizationChange } from "../../store/interface/access.ts";
import { actTogether, requireApproved } from "../proposal/second-person.ts";
import type { App } from "../app.ts";
import { findOpenOrganization, wasToExport } from "./close-organization.ts";
import { requireName } from "./create-organization.ts";
import { countedRecordsMax, countShownRecords, findOrganization } from "./find-organization.ts";
import { listKeys } from "./keys.ts";
import { findType } from "../record/find-named-record.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { hasRight, requireRight } from "../operator/viewer.ts";
import { hasRestrictedSets } from "../retention/restricted-sets.ts";

export interface ShownOrganization {
  readonly organization: Organization;
  /** The number of records by type, without types that this person may not know of. */
  readonly counts: Readonly<Record<string, number>>;
  /** A number above this means that the type has more records than were counted. */
  readonly countedMax: number;
  /** Empty also if this person may not see them. */
  readonly keys: readonly ApiKey[];
  /** False also if this person may not know of them. */
  readonly hasRestrictedSets: boolean;
  /** Whether this person may close it, or continue a closing that was interrupted. */
  readonly mayClose: boolean;
  /** Whether an interrupted closing was to export the records first. */
  readonly awaitsExport: boolean;
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function readOrganization(app: App, id: string): Promise<ShownOrganization> {
  requireRight(app, "organization.read");
  const organization = await findOrganization(app, id);
  const { closedAt, deletionRequestId } = organization;
  const isClosing = closedAt !== undefined && deletionRequestId === undefined;
  const mayClose = hasRight(app, "organization.close") && (closedAt === undefined || isClosing);
  return {
    organization,
    counts: await countShownRecords(app, id),
    countedMax: countedRecordsMax,
    keys: hasRight(app, "key.read") ? await listKeys(app, id) : [],
    hasRestrictedSets: await hasRestrictedSets(app, id),
    mayClose,
    awaitsExport: mayClose && isClosing && (await wasToExport(app, organization)),
  };
}

/** Throws OperatorError invalid for an empty change, and floor_above_ceiling. */
export async function changeOrganization(
  app: App,
  organizationId: string,
  change: OrganizationChange,
): Promise<Organization> {
  if (Object.keys(change).length === 0) {
    throw new OperatorError("invalid", "Nothing to change: pass at least one option.");
  }
  requireRights(app, change);
  if (change.retainDays !== undefined && change.retainDays !== null) {
    requireRetainDays(change.retainDays);
  }
  if (change.name !== undefined) requireName("The organization's name", change.name);
  if (change.confidentialTypes !== undefined) requireConfidential(change.confidentialTypes);
  const before = await findOpenOrganization(app, organizationId);
  const act = actTogether(app);
  if (act.proposalId !== undefined) requireApart(before, change);
  const outcome = await app.store.changeOrganization(organizationId, change, act);
  const changed = requireApproved(app, outcome);
  if (changed === undefined) return findOrganization(app, organizationId);
  if (!("ceilingTooLowFor" in changed)) return changed;
  throw ceilingTooLow(change.retainDays ?? 0, changed.ceilingTooLowFor);
}

/** A setting that needs a second person must be proposed separately. */
function requireApart(before: Organization, change: OrganizationChange): void {
  const isApart = Object.keys(change).every((name) => name in settingsOfTwo(change));
  if (isApart || !weakensSettings(before, change)) return;
  throw new OperatorError(
    "invalid",
    "The ceiling or the approval needs a second person, and the other settings do not. Nothing was changed: change them separately.",
  );
}

/** The ceiling deletes records, and people whose deletions need an approval must not be able to end that. */
function requireRights(
  app: App,
  { retainDays, deletionApproval, ...others }: OrganizationChange,
): void {
  if (retainDays !== undefined) requireRight(app, "retention.set");
  if (deletionApproval !== undefined) requireRight(app, "deletion.require_approval");
  if (Object.keys(others).length > 0) requireRight(app, "organization.change");
}

/**
 * Requires that no floor is longer than this ceiling, which may not be stored yet. Throws OperatorError
 * floor_above_ceiling.
 */
export async function requireFloorsWithin(
  { store }: App,
  organizationId: string,
  retainDays: number,
): Promise<void> {
  const rules = await store.retention.listRules([organizationId]);
  const longer = rules.find(
    ({ keepDays, deleteAfterDays }) => keepDays > retainDays && deleteAfterDays === undefined,
  );
  if (longer !== undefined) throw ceilingTooLow(retainDays, longer);
}

/** The message names the ceiling and the floor: a ceiling may not delete what a floor keeps. */
export function ceilingTooLow(
  ceilingDays: number,
  { resourceType, keepDays, countedFrom }: Omit<RetentionFloor, "organizationId" | "redactable">,
): OperatorError {
  return new OperatorError(
    "floor_above_ceiling",
    `The retention floor of the type ${titleOf(resourceType)}, ${formatDays(keepDays)} from ${countedFrom}, is longer than the ceiling ` +
      `of ${formatDays(ceilingDays)}. Nothing was changed: lower the floor or raise the ceiling first.`,
  );
}

function requireConfidential(types: readonly ResourceType[]): void {
  for (const name of types) findType(name);
  const fault = findConfidentialityFault(types);
  if (fault !== undefined) throw new OperatorError("invalid", `${fault} Nothing was changed.`);
}

/** Throws OperatorError invalid. */
export function requireRetainDays(days: number, name: "ceiling" | "floor" = "ceiling"): void {
  if (Number.isInteger(days) && days >= 1 && days <= limits.retainDaysMax) return;
  throw new OperatorError(
    "invalid",
    `A retention ${name} must be a whole number of days from 1 to ${limits.retainDaysMax}.`,
  );
}
