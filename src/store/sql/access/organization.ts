// Organizations: created, changed and read. Each change increments the credentials version, which tells other processes
// about it.

import type { Organization } from "../../../domain/access.ts";
import { confidentialTypes } from "../../../domain/confidentiality.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RetentionFloor, RetentionRule } from "../../../domain/retention/floor.ts";
import { applyChange, toOrganization } from "../../row/access-row.ts";
import { settingsOfTwo, weakensSettings } from "../../../domain/proposal.ts";
import type { Act } from "../../interface/act.ts";
import type { Unapproved } from "../../interface/proposal.ts";
import { reader } from "../../row/reader.ts";
import type { OrganizationChange } from "../../interface/access.ts";
import { seekApproval, auditApproval, type WantedAct } from "../proposal/proposal.ts";
import { auditAct } from "../trail/audit.ts";
import { find, list, run, type Statements, scalar } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";

/** The requested `retainDays` is shorter than this floor. Nothing was changed. */
export interface CeilingTooLow {
  readonly ceilingTooLowFor: RetentionFloor;
}

const insertOrganization = insertion<Organization>(
  "organization",
  "organization_id name strict_scopes deletion_grace_seconds rate_limit_per_second created_at deletion_approval",
  "ON CONFLICT DO NOTHING",
);

const updateOrganization = `
  UPDATE organization SET
    name = $1, strict_scopes = $2, deletion_grace_seconds = $3, rate_limit_per_second = $4,
    retain_days = $5, confidential_types = $6, deletion_approval = $8
  WHERE organization_id = $7`;

const setWritesPaused = `
  UPDATE organization SET writes_paused_until = $2 WHERE organization_id = $1`;

const lockOne = `
  SELECT * FROM organization WHERE organization_id = $1
  --postgres FOR NO KEY UPDATE
  `;

export const toRule = reader<RetentionRule>({ redactable: "flag", deleteAfterDays: "optional" });

/** No floor is longer. */
const anyDays = 1_000_000;

const findLongerFloor = `
  SELECT * FROM retention_floor WHERE organization_id = $1 AND keep_days > $2 AND delete_after_days IS NULL
  ORDER BY keep_days DESC, resource_type LIMIT 1`;

const raiseCredentialsVersion = `
  --sqlite UPDATE meta
  --postgres UPDATE counter
  SET value = value + 1 WHERE name = 'credentials_version'`;

const readCredentials = `
  SELECT value
  --sqlite FROM meta
  --postgres FROM counter
  WHERE name = 'credentials_version'`;

/** False if an organization with this id exists. */
export function* createOrganization(organization: Organization, act: Act): Statements<boolean> {
  const { organizationId, name, strictScopes, deletionGraceSeconds } = organization;
  const deletionApproval = organization.deletionApproval === true;
  if ((yield* insertOrganization({ ...organization, deletionApproval })) === 0) return false;
  yield* credentialsChanged();
  const approval = deletionApproval ? { deletionApproval } : {};
  const detail = { name, strictScopes, deletionGraceSeconds, ...approval };
  const subject = organizationId;
  yield* auditAct({ action: "organization.create", organizationId, subject, detail }, act);
  return true;
}

export function* changeOrganization(
  organizationId: string,
  change: OrganizationChange,
  act: Act,
): Statements<Organization | CeilingTooLow | Unapproved | undefined> {
  const before = yield* lockOrganization(organizationId);
  if (before === undefined) return undefined;
  const after = applyChange(before, change);
  const retainDays = change.retainDays ?? anyDays;
  const longer = yield* find(toRule, findLongerFloor, organizationId, retainDays);
  if (longer !== undefined) return { ceilingTooLowFor: longer };
  const consent = yield* seekApproval(act, proposedChange(before, change));
  if ("unapproved" in consent) return consent;
  yield* storeSettings(after);
  const subject = organizationId;
  yield* auditAct({ action: "organization.change", organizationId, subject, detail: change }, act);
  yield* auditApproval(consent, act);
  return after;
}

/** Changes an organization back to what it was before a restore. */
export function* replaceSettingsOf(
  organizationId: string,
  change: OrganizationChange,
  act: Act,
): Statements<void> {
  const before = yield* lockOrganization(organizationId);
  if (before === undefined) return;
  yield* storeSettings(applyChange(before, change));
  const detail = { ...change, because: "restore" };
  const subject = organizationId;
  yield* auditAct({ action: "organization.change", organizationId, subject, detail }, act);
}

function* storeSettings(after: Organization): Statements<void> {
  yield* run(
    updateOrganization,
    after.name,
    after.strictScopes,
    after.deletionGraceSeconds,
    after.rateLimitPerSecond ?? null,
    after.retainDays ?? null,
    JSON.stringify(after.confidentialTypes ?? []),
    after.organizationId,
    after.deletionApproval === true,
  );
  yield* credentialsChanged();
}

function proposedChange(before: Organization, change: OrganizationChange): WantedAct {
  const { organizationId, deletionApproval = false, retainDays = null } = before;
  return {
    organizationId,
    act: "organization.change",
    parameters: settingsOfTwo(change),
    state: { deletionApproval, retainDays },
    isNeeded: weakensSettings(before, change),
  };
}

/** Writes of the organization are refused until this time, in milliseconds; those that run already are not. */
export function* pauseWrites(organizationId: string, until: number): Statements<void> {
  yield* run(setWritesPaused, organizationId, until);
}

/** Locks an organization: nobody else changes it, or its retention floors, until the end of the transaction. */
export function* lockOrganization(organizationId: string) {
  return yield* find(toOrganization, lockOne, organizationId);
}

export function* findOrganization(organizationId: string) {
  return yield* find(
    toOrganization,
    `SELECT * FROM organization WHERE organization_id = $1`,
    organizationId,
  );
}

/** For an unknown organization, the types that are confidential everywhere. */
export function* readConfidentialTypes(
  organizationId: string,
): Statements<ReadonlySet<ResourceType>> {
  const organization = yield* findOrganization(organizationId);
  return confidentialTypes(organization?.confidentialTypes);
}

export function* listOrganizations() {
  return yield* list(
    toOrganization,
    `SELECT * FROM organization ORDER BY created_at, organization_id`,
  );
}

/** Call in the transaction of every change to an organization or a key. */
export function* credentialsChanged(): Statements<void> {
  yield* run(raiseCredentialsVersion);
}

/** Changes with an organization, a key or a token's rights. A cache of callers must read it every second. */
export function* readCredentialsVersion(): Statements<number> {
  const version = yield* scalar<number>(readCredentials);
  if (version === undefined) throw new TypeError("the store has no credentials version");
  return version;
}
