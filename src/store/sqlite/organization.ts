// Organizations: made, changed and read. Each change moves the credentials version, by which other processes learn of it.

import type { Organization } from "../../domain/access.ts";
import { applyChange, type OrganizationRow, toOrganization } from "../access-row.ts";
import type { Act, OrganizationChange } from "../store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

const insertOrganization = `
  INSERT INTO organization
    (organization_id, name, strict_scopes, deletion_grace_seconds, rate_limit_per_second, created_at)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const updateOrganization = `
  UPDATE organization SET
    name = ?2, strict_scopes = ?3, deletion_grace_seconds = ?4, rate_limit_per_second = ?5,
    retain_days = ?6
  WHERE organization_id = ?1`;

const findOne = `SELECT * FROM organization WHERE organization_id = ?`;
const findAll = `SELECT * FROM organization ORDER BY created_at, organization_id`;

const moveCredentials = `UPDATE meta SET value = value + 1 WHERE name = 'credentials_version'`;
const readCredentials = `SELECT value FROM meta WHERE name = 'credentials_version'`;

export function createOrganization(
  { connection }: Group,
  { organization, act }: { readonly organization: Organization; readonly act: Act },
): boolean {
  const { organizationId, name, strictScopes, deletionGraceSeconds } = organization;
  const inserted = connection.run(
    insertOrganization,
    organizationId,
    name,
    Number(strictScopes),
    deletionGraceSeconds,
    organization.rateLimitPerSecond ?? null,
    organization.createdAt,
  );
  if (inserted === 0) return false;
  const detail = { name, strictScopes, deletionGraceSeconds };
  noteChange(connection, { organizationId, action: "organization.create", detail, act });
  return true;
}

export function changeOrganization(
  { connection }: Group,
  args: {
    readonly organizationId: string;
    readonly change: OrganizationChange;
    readonly act: Act;
  },
): Organization | undefined {
  const { organizationId, change, act } = args;
  const before = findOrganization(connection, organizationId);
  if (before === undefined) return undefined;
  const after = applyChange(before, change);
  connection.run(
    updateOrganization,
    organizationId,
    after.name,
    Number(after.strictScopes),
    after.deletionGraceSeconds,
    after.rateLimitPerSecond ?? null,
    after.retainDays ?? null,
  );
  noteChange(connection, { organizationId, action: "organization.change", detail: change, act });
  return after;
}

export function findOrganization(
  connection: Connection,
  organizationId: string,
): Organization | undefined {
  const row = connection.get<OrganizationRow>(findOne, organizationId);
  return row === undefined ? undefined : toOrganization(row);
}

export function listOrganizations(connection: Connection): readonly Organization[] {
  return connection.all<OrganizationRow>(findAll).map(toOrganization);
}

/** To be called in the transaction of every change to an organization or a key. */
export function credentialsChanged(connection: Connection): void {
  connection.run(moveCredentials);
}

export function readCredentialsVersion(connection: Connection): number {
  const row = connection.get<{ value: number }>(readCredentials);
  if (row === undefined) throw new TypeError("the store has no credentials version");
  return row.value;
}

function noteChange(
  connection: Connection,
  change: {
    readonly organizationId: string;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): void {
  const { organizationId, action, detail, act } = change;
  credentialsChanged(connection);
  appendAudit(connection, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId,
    subject: organizationId,
    detail,
  });
}
