// Short functions for what the conformance tests do: who writes what, and the worker's round. Uses
// only the store's methods, so that it works the same on every engine.

import assert from "node:assert/strict";
import type { ApiKey, Organization } from "../../src/domain/access.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import type { Payload, RecordType } from "../../src/domain/record-type.ts";
import { recordTypeByName } from "../../src/domain/record-types.ts";
import type {
  Change,
  Draft,
  IdempotencyMark,
  RecordKey,
  RecordWrite,
  WriteOutcome,
} from "../../src/domain/record/record-write.ts";
import type { HoldOutcome } from "../../src/store/sql/erase/hold.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { DeletionFigures, DeletionRequest } from "../../src/store/interface/deletion.ts";
import type { NewKey } from "../../src/store/interface/access.ts";
import type { NewToken } from "../../src/store/sql/access/access-token.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { claimOne, completeOne, eraseOne } from "../support/one-deletion.ts";

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

export interface WriteOptions {
  readonly organizationId?: string;
  readonly resourceType?: string;
  readonly mode?: RecordWrite["mode"];
  readonly lenient?: boolean;
  readonly receivedAt?: number;
  readonly idempotency?: IdempotencyMark;
  readonly marks?: readonly IdempotencyMark[];
}

/** Adds transactions of Acme, strictly by default. */
export function write(
  store: Store,
  drafts: Draft | readonly Draft[],
  options: WriteOptions = {},
): Promise<WriteOutcome> {
  return store.writeRecords({
    organizationId: acme,
    resourceType: "transaction",
    mode: "add",
    lenient: false,
    receivedAt: operator.now,
    ...options,
    drafts: "id" in drafts ? [drafts] : drafts,
  });
}

/** Adds one record of any type to Acme. */
export async function add(
  store: Store,
  resourceType: string,
  id: string,
  fields: Payload = {},
): Promise<void> {
  const outcome = await write(store, draftOf(resourceType, id, fields), { resourceType });
  assert.deepEqual(outcome, { written: 1, drafts: ["created"] });
}

export function keyOf(resourceType: string, resourceId: string, organizationId = acme): RecordKey {
  return { organizationId, resourceType, resourceId };
}

export async function changesOf(store: Store, key: RecordKey): Promise<readonly Change[]> {
  return (await store.readHistory(key))?.changes ?? [];
}

export async function payloadsOf(store: Store, key: RecordKey): Promise<readonly Payload[]> {
  const changes = await changesOf(store, key);
  return changes.map(({ payload }) => JSON.parse(payload) as Payload);
}

export async function exists(store: Store, key: RecordKey): Promise<boolean> {
  return (await store.findRecord(key)) !== undefined;
}

/** Thirty-two bytes, the size of a SHA-256. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.padEnd(32, "."));
}

export function mark(key: string, content = "request"): IdempotencyMark {
  return { keyHash: bytesOf(key), fingerprint: bytesOf(content) };
}

let holds = 0;

/** Places a hold under a new id. */
export function hold(store: Store, key: RecordKey, act: Act = operator): Promise<HoldOutcome> {
  holds += 1;
  const wanted = {
    holdId: `hold_${holds}`,
    reason: "a case",
    owner: undefined,
    reviewOn: undefined,
  };
  return store.holds.place({ ...wanted, ...key }, act);
}

/** Releases every hold on a record; returns how many there were. */
export async function release(store: Store, key: RecordKey, act: Act = operator): Promise<number> {
  const found = await store.holds.ofRecords([key]);
  for (const { holdId } of found) await store.holds.release(holdId, act);
  return found.length;
}

let requests = 0;

/** Requests a deletion that is due at once, under a new id. */
export function request(
  store: Store,
  key: RecordKey,
  fields: Partial<DeletionRequest & Act> = {},
): Promise<string | undefined> {
  requests += 1;
  const { actor = "key_1", now = operator.now, ...rest } = fields;
  return store.requestDeletion(
    { ...key, reason: "asked for", deletionRequestId: `del_${requests}`, dueAt: now, ...rest },
    { actor, now },
  );
}

export function claim(store: Store, now = worker.now): Promise<Deletion | undefined> {
  return claimOne(store, { now, leaseUntil: now + 60_000, claimant: "test" });
}

/** Erases and completes a claimed deletion. */
export async function finish(
  store: Store,
  deletionRequestId: string,
  recordsMax = 3,
): Promise<Deletion> {
  for (let round = 0; round < 1_000; round += 1) {
    const done = await eraseOne(store, deletionRequestId, recordsMax, worker);
    if (!done) continue;
    const completed = await completeOne(store, deletionRequestId, worker);
    if (completed !== undefined) return completed;
  }
  throw new Error("the erasure does not come to an end");
}

/** Processes everything that is due, as the worker does. */
export async function processAll(store: Store, now = worker.now): Promise<readonly Deletion[]> {
  const completed: Deletion[] = [];
  for (;;) {
    const deletion = await claim(store, now);
    if (deletion === undefined) return completed;
    completed.push(await finish(store, deletion.deletionRequestId));
  }
}

export async function deletionOf(store: Store, deletionRequestId: string): Promise<Deletion> {
  const deletion = await store.findDeletion(deletionRequestId, undefined);
  assert.ok(deletion, deletionRequestId);
  return deletion;
}

export async function requireConsistent(store: Store): Promise<void> {
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
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
};
