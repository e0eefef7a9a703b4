// Rows of organizations, keys and tokens, the aliases under which they are read together, and their conversion. The same on
// every engine.

import type { AccessToken, ApiKey, Organization } from "../../domain/access.ts";
import type { ResourceType } from "../../domain/record-type.ts";
import type { Scope } from "../../domain/scope.ts";
import type { NewKey, OrganizationChange } from "../interface/access.ts";

export interface OrganizationRow {
  readonly organization_id: string;
  readonly name: string;
  readonly strict_scopes: number | boolean;
  readonly deletion_grace_seconds: number;
  readonly rate_limit_per_second: number | null;
  readonly retain_days: number | null;
  readonly confidential_types: string;
  readonly erase_orphaned_transactions: number | boolean;
  readonly deletion_approval: number | boolean;
  readonly created_at: number;
  readonly closed_at: number | null;
  readonly deletion_request_id: string | null;
}

export interface KeyRow {
  readonly key_id: string;
  readonly organization_id: string;
  readonly key_name: string;
  readonly key_scopes: string;
  readonly key_created_at: number;
  readonly key_expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export interface TokenRow {
  readonly token_key_id: string;
  readonly token_organization_id: string;
  readonly token_scopes: string;
  readonly token_created_at: number;
  readonly token_expires_at: number;
}

/** Columns have aliases, so that they can be selected together with the columns of other tables. */
export const keyColumns = `
  api_key.key_id, api_key.organization_id, api_key.name AS key_name, api_key.scopes AS key_scopes,
  api_key.created_at AS key_created_at, api_key.expires_at AS key_expires_at,
  api_key.revoked_at, api_key.last_used_at`;

/** A token with its key and its organization. */
export const callerColumns = `
  access_token.key_id AS token_key_id, access_token.organization_id AS token_organization_id,
  access_token.scopes AS token_scopes, access_token.created_at AS token_created_at,
  access_token.expires_at AS token_expires_at,
  ${keyColumns}, organization.*`;

export function toOrganization(row: OrganizationRow): Organization {
  const { retain_days: retainDays, closed_at: closedAt } = row;
  const { deletion_request_id: deletionRequestId } = row;
  const confidentialTypes = JSON.parse(row.confidential_types) as readonly ResourceType[];
  return {
    organizationId: row.organization_id,
    name: row.name,
    strictScopes: Boolean(row.strict_scopes),
    deletionGraceSeconds: row.deletion_grace_seconds,
    rateLimitPerSecond: row.rate_limit_per_second ?? undefined,
    ...(retainDays === null ? {} : { retainDays }),
    ...(confidentialTypes.length === 0 ? {} : { confidentialTypes }),
    ...(row.erase_orphaned_transactions ? { eraseOrphanedTransactions: true } : {}),
    ...(row.deletion_approval ? { deletionApproval: true } : {}),
    createdAt: row.created_at,
    ...(closedAt === null ? {} : { closedAt }),
    ...(deletionRequestId === null ? {} : { deletionRequestId }),
  };
}

export function toKey(row: KeyRow): ApiKey {
  return {
    keyId: row.key_id,
    organizationId: row.organization_id,
    name: row.key_name,
    scopes: JSON.parse(row.key_scopes) as readonly Scope[],
    createdAt: row.key_created_at,
    expiresAt: row.key_expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

export function toToken(row: TokenRow): AccessToken {
  return {
    keyId: row.token_key_id,
    organizationId: row.token_organization_id,
    scopes: JSON.parse(row.token_scopes) as readonly Scope[],
    createdAt: row.token_created_at,
    expiresAt: row.token_expires_at,
  };
}

/** The detail of the audit entry of a new key. */
export function describeKey({
  name,
  scopes,
  expiresAt,
}: NewKey): Readonly<Record<string, unknown>> {
  return { name, scopes, expiresAt: expiresAt ?? null };
}

/** The organization after the change; null removes a limit, undefined leaves it unchanged. */
export function applyChange(before: Organization, change: OrganizationChange): Organization {
  const { rateLimitPerSecond, retainDays = before.retainDays, ...rest } = change;
  const { retainDays: _before, ...unchanged } = before;
  return {
    ...unchanged,
    ...rest,
    ...(retainDays === null || retainDays === undefined ? {} : { retainDays }),
    rateLimitPerSecond:
      rateLimitPerSecond === undefined
        ? before.rateLimitPerSecond
        : (rateLimitPerSecond ?? undefined),
  };
}
