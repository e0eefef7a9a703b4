// Organizations, API keys, access tokens, holds and audit entries. Never contains a secret.

import type { ResourceType } from "./record-type.ts";
import type { Scope } from "./scope.ts";

/** Times are Unix milliseconds. */
export interface Organization {
  readonly organizationId: string;
  readonly name: string;
  /** If true, `transactions:write` covers only reading and writing transactions. */
  readonly strictScopes: boolean;
  /** Seconds between a deletion request and the earliest time at which it is processed. */
  readonly deletionGraceSeconds: number;
  /** Overrides RATE_LIMIT_PER_SECOND for this organization; 0 = no limit. */
  readonly rateLimitPerSecond: number | undefined;
  /** Records last seen longer ago than this are deleted. If undefined, records are deleted only on request. */
  readonly retainDays?: number;
  /** Types that are confidential in this organization, besides those that are confidential everywhere. */
  readonly confidentialTypes?: readonly ResourceType[];
  /** If true, a deletion that is requested is processed only after a second person has approved it. */
  readonly deletionApproval?: boolean;
  readonly createdAt: number;
  /** The organization is closed: from then on nobody can use it, and everything that it has stored is erased. */
  readonly closedAt?: number;
  /** The id of the deletion of everything; undefined until it is requested. */
  readonly deletionRequestId?: string;
}

/** An API key, or a rule by which a feature issues tokens without one. */
export interface ApiKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
  /** Present for a rule, which has no secret, in the form of its feature. */
  readonly rule?: object;
}

export interface AccessToken {
  readonly keyId: string;
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To whom it was issued, where the key is a rule; in the audit trail after the id of the rule. */
  readonly subject?: string;
}

/** Everything that is needed to authenticate a request, from one lookup. */
export interface Caller {
  readonly token: AccessToken;
  readonly key: ApiKey;
  readonly organization: Organization;
}

export interface KeyHolder {
  readonly key: ApiKey;
  readonly organization: Organization;
}

/** A legal hold. A record may have several, and is not erased before the last is released. */
export interface Hold {
  readonly holdId: string;
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly reason: string;
  /** Who is responsible for the hold: a person, a team, a case number. */
  readonly owner: string | undefined;
  /** The date on which somebody has to decide whether it is still needed, such as `2026-12-31`. */
  readonly reviewOn: string | undefined;
  /** The last date on which it holds; then it ends by itself. If undefined, only a release ends it. */
  readonly endsOn: string | undefined;
  readonly placedAt: number;
  readonly placedBy: string;
  /** The organization of which a record in the restricted store was; only in what people are shown. */
  readonly restrictedOf?: string;
}

/** Returns what the audit trail records about a hold, besides the record, which is the subject of the entry. */
export function describeHold(hold: Hold): Readonly<Record<string, unknown>> {
  const { holdId, reason, owner = null, reviewOn = null, endsOn, placedAt, placedBy } = hold;
  const end = endsOn === undefined ? {} : { endsOn };
  return { holdId, reason, owner, reviewOn, ...end, placedAt, placedBy };
}

export interface AuditEntry {
  readonly entryNo: number;
  readonly at: number;
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** What was done, such as `key.create` or `deletion.complete`. */
  readonly action: string;
  readonly organizationId: string | undefined;
  /** The object of the action: a key id, a deletion_request_id. Never record content. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly previousHash: string;
  /** The SHA-256 over the entry and the previous hash, in hex. */
  readonly hash: string;
}
