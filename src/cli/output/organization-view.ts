// Organizations as the command line prints them.

import type { Organization } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import { formatDuration } from "../../basics/duration.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import { formatTime, renderFields, timeOrNull } from "./table.ts";

export function viewOrganization(organization: Organization) {
  return {
    organization_id: organization.organizationId,
    organization_name: organization.name,
    strict_scopes: organization.strictScopes,
    deletion_grace_seconds: organization.deletionGraceSeconds,
    rate_limit_per_second: organization.rateLimitPerSecond ?? null,
    retain_days: organization.retainDays ?? null,
    confidential_types: [...confidentialTypes(organization.confidentialTypes)],
    erase_orphaned_transactions: organization.eraseOrphanedTransactions === true,
    deletion_approval: organization.deletionApproval === true,
    created_at: formatTime(organization.createdAt),
    closed_at: timeOrNull(organization.closedAt),
    deletion_request_id: organization.deletionRequestId ?? null,
  };
}

export function describeOrganization(organization: Organization): string {
  return renderFields([
    ["organization", organization.organizationId],
    ["name", organization.name],
    ["strict scopes", formatOnOff(organization.strictScopes)],
    ["deletion grace", formatDuration(organization.deletionGraceSeconds * 1_000)],
    ["rate limit", formatRateLimit(organization)],
    ["records kept", formatRetention(organization)],
    ["confidential", [...confidentialTypes(organization.confidentialTypes)].join(", ")],
    ["erase orphaned transactions", formatOnOff(organization.eraseOrphanedTransactions === true)],
    ["deletion approval", formatOnOff(organization.deletionApproval === true)],
    ["created", formatTime(organization.createdAt)],
    ["closed", formatClosed(organization)],
  ]);
}

/** A closed organization without a deletion is one whose closing was interrupted. */
export function formatClosed({ closedAt, deletionRequestId }: Organization): string {
  if (closedAt === undefined) return "-";
  const deletion =
    deletionRequestId ??
    "nothing is deleted yet: run organization close again, with --export to export its records";
  return `${formatTime(closedAt)} (${deletion})`;
}

function formatRetention({ retainDays }: Organization): string {
  return retainDays === undefined ? "until a deletion is requested" : formatDays(retainDays);
}

export function formatOnOff(value: boolean): string {
  return value ? "on" : "off";
}

export function formatRateLimit({ rateLimitPerSecond }: Organization): string {
  if (rateLimitPerSecond === undefined) return "default";
  return rateLimitPerSecond === 0 ? "none" : `${rateLimitPerSecond}/s`;
}
