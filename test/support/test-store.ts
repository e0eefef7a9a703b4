// A store with what tests do with it in one line: who writes what, and the worker's steps. Uses only the methods of
// stores, so that it works the same on every engine.

import assert from "node:assert/strict";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import type {
  Change,
  Draft,
  IdempotencyMark,
  RecordKey,
  RecordWrite,
  WriteOutcome,
} from "../../src/domain/record/record-write.ts";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { Claim, DeletionRequest } from "../../src/store/interface/deletion.ts";
import type { FloorOutcome } from "../../src/store/interface/retention.ts";
import type { Store, StoreOptions } from "../../src/store/interface/store.ts";
import type { HoldOutcome } from "../../src/store/sql/retention/hold.ts";
import { storeParts as parts } from "../../src/feature/parts.ts";
import { openStore } from "../../src/store/open-store.ts";
import { acme, draftOf, keyOf, operator, worker } from "../conformance/scene.ts";
import { keepThreads } from "./kept-threads.ts";

keepThreads();

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
function write(
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
async function add(store: Store, resourceType: string, id: string, fields: Payload = {}) {
  const outcome = await write(store, draftOf(resourceType, id, fields), { resourceType });
  assert.deepEqual(outcome, { written: 1, drafts: ["created"] });
}

async function changesOf(store: Store, key: RecordKey): Promise<readonly Change[]> {
  return (await store.readHistory(key))?.changes ?? [];
}

async function payloadsOf(store: Store, key: RecordKey): Promise<readonly Payload[]> {
  const changes = await changesOf(store, key);
  return changes.map(({ payload }) => JSON.parse(payload) as Payload);
}

async function exists(store: Store, key: RecordKey): Promise<boolean> {
  return (await store.findRecord(key)) !== undefined;
}

let holds = 0;

/** Places a hold under a new id. */
function hold(store: Store, key: RecordKey, act: Act = operator): Promise<HoldOutcome> {
  holds += 1;
  const wanted = {
    reason: `case ${holds}`,
    owner: undefined,
    reviewOn: undefined,
    endsOn: undefined,
  };
  return store.holds.place({ holdId: `hold_${holds}`, ...wanted, ...key }, act);
}

/** Releases every hold on a record; returns how many there were. */
async function release(store: Store, key: RecordKey, act: Act = operator): Promise<number> {
  const found = await store.holds.ofRecords([key]);
  for (const { holdId } of found) await store.holds.release(holdId, act);
  return found.length;
}

/** Sets or removes the retention floor of a type of Acme. */
function setFloor(
  store: Store,
  resourceType: string,
  keepDays: number | undefined,
  countedFrom: FloorOrigin = "last_seen",
): Promise<FloorOutcome> {
  const rule = keepDays === undefined ? undefined : { keepDays, countedFrom, redactable: false };
  return store.retention.setFloor({ organizationId: acme, resourceType, rule }, operator);
}

/** Closes Acme, and requests the deletion of everything of it. */
async function closeAll(store: Store, deletionRequestId: string): Promise<void> {
  await store.closeOrganization(acme, operator);
  const wanted = { organizationId: acme, deletionRequestId, reason: "ended" };
  await store.requestOrganizationDeletion({ ...wanted, requestedBy: "operator" }, operator);
}

let requests = 0;

/** Requests a deletion that is due at once, under a new id. Undefined if there is no such record. */
function tryRequest(
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

async function request(
  store: Store,
  key: RecordKey,
  fields: Partial<DeletionRequest & Act> = {},
): Promise<string> {
  return (await tryRequest(store, key, fields)) ?? assert.fail(`no ${key.resourceId}`);
}

async function claimOne(store: Store, wanted: Claim): Promise<Deletion | undefined> {
  return (await store.claimDeletions(wanted, 1))[0];
}

function claim(store: Store, now = worker.now): Promise<Deletion | undefined> {
  return claimOne(store, { now, leaseUntil: now + 60_000, claimant: "test" });
}

/** True when nothing is left of its plan. */
async function eraseOne(
  store: Store,
  deletionRequestId: string,
  recordsMax: number,
  act: Act = worker,
): Promise<boolean> {
  const { done } = await store.eraseStep([deletionRequestId], recordsMax, act);
  return done.includes(deletionRequestId);
}

/** Undefined if it must be tried again. Throws the cause of a failure. */
async function completeOne(
  store: Store,
  deletionRequestId: string,
  act: Act = worker,
): Promise<Deletion | undefined> {
  const [outcome] = await store.completeDeletions([deletionRequestId], act);
  if (outcome?.result === "failed") throw outcome.cause;
  return outcome?.result === "completed" ? outcome.deletion : undefined;
}

/** Erases and completes a claimed deletion. */
async function finish(store: Store, deletionRequestId: string, recordsMax = 3): Promise<Deletion> {
  for (let round = 0; round < 1_000; round += 1) {
    if (!(await eraseOne(store, deletionRequestId, recordsMax))) continue;
    const completed = await completeOne(store, deletionRequestId);
    if (completed !== undefined) return completed;
  }
  throw new Error("the erasure does not come to an end");
}

/** Processes everything that is due, as the worker does. */
async function processAll(store: Store, now = worker.now): Promise<readonly Deletion[]> {
  const completed: Deletion[] = [];
  for (;;) {
    const deletion = await claim(store, now);
    if (deletion === undefined) return completed;
    completed.push(await finish(store, deletion.deletionRequestId));
  }
}

/** Requests and processes the deletion of a record of Acme. */
async function erase(store: Store, resourceType: string, id: string): Promise<Deletion> {
  const deletionRequestId = await request(store, keyOf(resourceType, id));
  await processAll(store);
  const deletion = await deletionOf(store, deletionRequestId);
  assert.equal(deletion.status, "completed");
  return deletion;
}

async function deletionOf(store: Store, deletionRequestId: string): Promise<Deletion> {
  const deletion = await store.findDeletion(deletionRequestId, undefined);
  assert.ok(deletion, deletionRequestId);
  return deletion;
}

async function requireConsistent(store: Store): Promise<void> {
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
}

const acts = {
  write,
  add,
  changesOf,
  payloadsOf,
  exists,
  hold,
  release,
  setFloor,
  closeAll,
  tryRequest,
  request,
  claimOne,
  claim,
  eraseOne,
  completeOne,
  finish,
  processAll,
  erase,
  deletionOf,
  requireConsistent,
};

type Bound<Function> = Function extends (store: Store, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type TestStore = Store & {
  readonly [Name in keyof typeof acts]: Bound<(typeof acts)[Name]>;
};

export function withActs(store: Store): TestStore {
  for (const [name, act] of Object.entries(acts)) {
    Reflect.set(store, name, (...rest: readonly unknown[]) =>
      Reflect.apply(act, undefined, [store, ...rest]),
    );
  }
  return store as TestStore;
}

export async function openTestStore(
  url: string,
  options: Omit<StoreOptions, "parts">,
): Promise<TestStore> {
  return withActs(await openStore(url, { parts, ...options }));
}
