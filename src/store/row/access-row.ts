// Organizations, keys and tokens as they are read, separately and joined, and as they are changed.

import type { AccessToken, ApiKey, Organization } from "../../domain/access.ts";
import type { OrganizationChange } from "../interface/access.ts";
import { prefixed, reader } from "./reader.ts";

export const keyColumns = prefixed(
  "key.",
  "api_key",
  "key_id organization_id name scopes created_at expires_at revoked_at last_used_at rule",
);

/** A token with its key and its organization. */
export const callerColumns = `
  ${prefixed("token.", "access_token", "key_id organization_id scopes created_at expires_at subject")},
  ${keyColumns}, organization.*`;

export const toOrganization = reader<Organization>(
  {
    strictScopes: "flag",
    retainDays: "optional",
    confidentialTypes: "ifAny",
    deletionApproval: "ifTrue",
    closedAt: "optional",
    deletionRequestId: "optional",
  },
  { without: "writes_paused_until" },
);

export const toKey = reader<ApiKey>({ scopes: "json", rule: "ifAny" }, { prefix: "key." });

export const toToken = reader<AccessToken>(
  { scopes: "json", subject: "optional" },
  { prefix: "token." },
);

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
