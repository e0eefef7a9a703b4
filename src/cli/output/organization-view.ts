// Organizations as the command line prints them.

import type { Organization } from "../../domain/access.ts";
import { formatDuration } from "../input/duration.ts";
import { formatTime, renderFields } from "./table.ts";

export function viewOrganization(organization: Organization) {
  return {
    organization_id: organization.organizationId,
    organization_name: organization.name,
    strict_scopes: organization.strictScopes,
    deletion_grace_seconds: organization.deletionGraceSeconds,
    rate_limit_per_second: organization.rateLimitPerSecond ?? null,
    retain_days: organization.retainDays ?? null,
    created_at: formatTime(organization.createdAt),
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
    ["created", formatTime(organization.createdAt)],
  ]);
}

function formatRetention({ retainDays }: Organization): string {
  return retainDays === undefined ? "until a deletion is requested" : `${retainDays} days`;
}

export function formatOnOff(value: boolean): string {
  return value ? "on" : "off";
}

export function formatRateLimit({ rateLimitPerSecond }: Organization): string {
  if (rateLimitPerSecond === undefined) return "default";
  return rateLimitPerSecond === 0 ? "none" : `${rateLimitPerSecond}/s`;
}
