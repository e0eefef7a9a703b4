// Organizations: made, changed and read. Each change moves the credentials version, by which other processes learn of it.

import type { Organization } from "../../domain/access.ts";
import type { Act, OrganizationChange } from "../store.ts";
import { appendAudit } from "./audit.ts";
import type { Transaction } from "./transaction.ts";

export interface OrganizationRow {
  readonly organization_id: string;
  readonly name: string;
  readonly strict_scopes: boolean;
  readonly deletion_grace_seconds: number;
  readonly rate_limit_per_second: number | null;
  readonly retain_days: number | null;
  readonly created_at: number;
}

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
  const { rateLimitPerSecond, retainDays = before.retainDays, ...rest } = change;
  const { retainDays: _before, ...kept } = before;
  const after: Organization = {
    ...kept,
    ...rest,
    ...(retainDays === null || retainDays === undefined ? {} : { retainDays }),
    rateLimitPerSecond:
      rateLimitPerSecond === undefined
        ? before.rateLimitPerSecond
        : (rateLimitPerSecond ?? undefined),
  };
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

export function toOrganization(row: OrganizationRow): Organization {
  const { retain_days: retainDays } = row;
  return {
    organizationId: row.organization_id,
    name: row.name,
    strictScopes: row.strict_scopes,
    deletionGraceSeconds: row.deletion_grace_seconds,
    rateLimitPerSecond: row.rate_limit_per_second ?? undefined,
    ...(retainDays === null ? {} : { retainDays }),
    createdAt: row.created_at,
  };
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
