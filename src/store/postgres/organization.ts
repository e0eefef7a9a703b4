// Organizations: made, changed and read. Each change moves the credentials version, by which other processes learn of it.

import type { Organization } from "../../domain/access.ts";
import { applyChange, type OrganizationRow, toOrganization } from "../access-row.ts";
import type { Act, OrganizationChange } from "../store.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./transaction.ts";

const insertOrganization = `
  INSERT INTO organization
    (organization_id, name, strict_scopes, deletion_grace_seconds, rate_limit_per_second, created_at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`;

const updateOrganization = `
  UPDATE organization SET
    name = $2, strict_scopes = $3, deletion_grace_seconds = $4, rate_limit_per_second = $5,
    retain_days = $6
  WHERE organization_id = $1`;

const findOne = `SELECT * FROM organization WHERE organization_id = $1`;
const lockOne = `SELECT * FROM organization WHERE organization_id = $1 FOR NO KEY UPDATE`;
const findAll = `SELECT * FROM organization ORDER BY created_at, organization_id`;

const moveCredentials = `UPDATE counter SET value = value + 1 WHERE name = 'credentials_version'`;
const readCredentials = `SELECT value FROM counter WHERE name = 'credentials_version'`;

export async function createOrganization(
  transaction: Transaction,
  organization: Organization,
  act: Act,
): Promise<boolean> {
  const { organizationId, name, strictScopes, deletionGraceSeconds } = organization;
  const inserted = await transaction.run(
    insertOrganization,
    organizationId,
    name,
    strictScopes,
    deletionGraceSeconds,
    organization.rateLimitPerSecond ?? null,
    organization.createdAt,
  );
  if (inserted === 0) return false;
  const detail = { name, strictScopes, deletionGraceSeconds };
  await noteChange(transaction, { organizationId, action: "organization.create", detail, act });
  return true;
}

export async function changeOrganization(
  transaction: Transaction,
  args: {
    readonly organizationId: string;
    readonly change: OrganizationChange;
    readonly act: Act;
  },
): Promise<Organization | undefined> {
  const { organizationId, change, act } = args;
  const row = await transaction.get<OrganizationRow>(lockOne, organizationId);
  if (row === undefined) return undefined;
  const before = toOrganization(row);
  const after = applyChange(before, change);
  await transaction.run(
    updateOrganization,
    organizationId,
    after.name,
    after.strictScopes,
    after.deletionGraceSeconds,
    after.rateLimitPerSecond ?? null,
    after.retainDays ?? null,
  );
  const action = "organization.change";
  await noteChange(transaction, { organizationId, action, detail: change, act });
  return after;
}

export async function findOrganization(
  transaction: Transaction,
  organizationId: string,
): Promise<Organization | undefined> {
  const row = await transaction.get<OrganizationRow>(findOne, organizationId);
  return row === undefined ? undefined : toOrganization(row);
}

export async function listOrganizations(
  transaction: Transaction,
): Promise<readonly Organization[]> {
  return (await transaction.all<OrganizationRow>(findAll)).map(toOrganization);
}

/** To be called in the transaction of every change to an organization or a key. */
export async function credentialsChanged(transaction: Transaction): Promise<void> {
  await transaction.run(moveCredentials);
}

export async function readCredentialsVersion(transaction: Transaction): Promise<number> {
  const row = await transaction.get<{ value: number }>(readCredentials);
  if (row === undefined) throw new TypeError("the store has no credentials version");
  return row.value;
}

async function noteChange(
  transaction: Transaction,
  change: {
    readonly organizationId: string;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Promise<void> {
  const { organizationId, action, detail, act } = change;
  await credentialsChanged(transaction);
  await appendAudit(transaction, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId,
    subject: organizationId,
    detail,
  });
}
