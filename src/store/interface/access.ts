// API keys as they are created, and the settings of an organization as they are changed.

import type { ApiKey, Organization } from "../../domain/access.ts";

export interface NewKey extends Omit<ApiKey, "revokedAt" | "lastUsedAt"> {
  readonly secretHash: Uint8Array;
}

export type OrganizationChange = Partial<
  Pick<
    Organization,
    "name" | "strictScopes" | "deletionGraceSeconds" | "confidentialTypes" | "deletionApproval"
  >
> & { readonly rateLimitPerSecond?: number | null; readonly retainDays?: number | null };
