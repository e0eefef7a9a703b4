// Who acts in the tests of stores, and on what: organizations, records and credentials, and the times of acts.

import assert from "node:assert/strict";
import type { ApiKey, Organization } from "../../src/domain/access.ts";
import type { Operator } from "../../src/domain/operator.ts";
import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import type { Draft, IdempotencyMark, RecordKey } from "../../src/domain/record/record-write.ts";
import type { NewKey } from "../../src/store/interface/access.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { DeletionFigures } from "../../src/store/interface/deletion.ts";
import type { NewToken } from "../../src/store/sql/access/api-key.ts";

export const acme = "org_acme";
export const other = "org_other";

export const operator: Act = { actor: "operator", now: 1_000_000 };
export const worker: Act = { actor: "worker", now: 2_000_000 };

export const day = 86_400_000;
/** Midnight of a day of January 1970, by which the test clock counts. */
export const onDay = (number: number) => (number - 1) * day;
export const seen = (number: number) => ({ timestamp: new Date(onDay(number)).toISOString() });

export function typeNamed(name: string): RecordType {
  const type = recordTypeByName(name);
  assert.ok(type, name);
  return type;
}

/** A valid draft of any type: the type's example with the given id and fields. */
export function draftOf(resourceType: string, id: string, fields: Payload = {}): Draft {
  const type = typeNamed(resourceType);
  const related = new Set(type.relations.map(({ field }) => field));
  const example = Object.entries(type.example).filter(([field]) => !related.has(field));
  return makeDraft(type, { ...Object.fromEntries(example), ...fields, [type.idField]: id });
}

export function transaction(id: string, fields: Payload = {}): Draft {
  return draftOf("transaction", id, fields);
}

export function keyOf(resourceType: string, resourceId: string, organizationId = acme): RecordKey {
  return { organizationId, resourceType, resourceId };
}

/** Thirty-two bytes, the size of a SHA-256. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.padEnd(32, "."));
}

export function mark(key: string, content = "request"): IdempotencyMark {
  return { keyHash: bytesOf(key), fingerprint: bytesOf(content) };
}

export function organization(
  organizationId: string,
  fields: Partial<Organization> = {},
): Organization {
  return {
    organizationId,
    name: `Name of ${organizationId}`,
    strictScopes: false,
    deletionGraceSeconds: 0,
    rateLimitPerSecond: undefined,
    createdAt: 100,
    ...fields,
  };
}

export function officer(name: string): Operator {
  const made = { createdAt: 1, disabledAt: undefined };
  return { operatorId: `op_${name}`, name, roles: ["officer"], ...made };
}

export function newKey(keyId: string, fields: Partial<NewKey> = {}): NewKey {
  return {
    keyId,
    organizationId: acme,
    name: "intake",
    scopes: ["transactions:write", "person:read"],
    createdAt: 200,
    expiresAt: undefined,
    secretHash: bytesOf(keyId),
    ...fields,
  };
}

export function newToken(name: string, fields: Partial<NewToken> = {}): NewToken {
  return {
    tokenHash: bytesOf(name),
    keyId: "key_1",
    organizationId: acme,
    scopes: ["transactions:write"],
    createdAt: 300,
    expiresAt: 900_000,
    ...fields,
  };
}

/** What listKeys and similar methods return for a new key. */
export function asStored({ secretHash: _secret, ...key }: NewKey): ApiKey {
  return { ...key, revokedAt: undefined, lastUsedAt: undefined };
}

/** Of a store without a deletion that may be counted. */
export const noFigures: DeletionFigures = {
  byStatus: { pending: 0, processing: 0, completed: 0, cancelled: 0 },
  held: 0,
  underFloor: 0,
  oldestDueAt: undefined,
  oldestStartedAt: undefined,
};
