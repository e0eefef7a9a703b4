// Builds the index of persons and companies, step by step: reads in the order of arrival which of them have changed
// beyond a mark, hashes the values by which they are found, and moves the mark. A step is bounded, and a step that a
// crash loses is repeated.

import { setImmediate } from "node:timers/promises";
import { mergeChanges } from "../../domain/record/merge.ts";
import { type Change, keyText, type RecordKey } from "../../domain/record/record-write.ts";
import type { Payload } from "../../domain/record-type.ts";
import { isSearched, searchedTypes } from "./store/tokens.ts";
import type { IndexedRecord, SearchState } from "./store/index-tokens.ts";
import type { App } from "../../actions/app.ts";
import { DeletionPace } from "../../actions/deletion/deletion-pace.ts";
import { historyPages } from "../../actions/pages.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readTerms } from "./record-terms.ts";
import { operatorErrors } from "./rows.ts";
import { persons } from "./store/part.ts";
import { loadTelephoneReader, type TelephoneReader } from "./value-terms.ts";
import type { DerivedIndex } from "../../actions/upkeep/build-indexes.ts";
import { findType } from "../../actions/record/find-named-record.ts";
import { createHmac, hkdfSync, type KeyObject } from "node:crypto";

/** For how many records one transaction reads changes and stores hashes. */
const recordsAtOnce = 64;
/**
 * How many arrival numbers one statement searches: on SQLite, the serving thread runs it. The mark skips these if they
 * are of other types; fewer are searched again.
 */
const numbersAtOnce = 2_000;
/** How many statements of one step may find nothing. */
const fruitlessMax = 16;
/** An organization whose changes are not indexed waits for others when there are this many. */
const arrivalsMax = 1_000_000;
/** Most records have fewer changes, so one statement reads all of them. */
const firstChanges = 4;
/** Values of earlier changes are not found. */
const changesMax = 1_000;
/** The changes of a record are parsed in one event-loop tick. */
const changesBytesMax = 8 * 1_024 * 1_024;

/** False if everything that had arrived by then is indexed. Throws OperatorError search_key. */
export async function indexNext(app: App): Promise<boolean> {
  const search = app.store.of(persons);
  const { keys, keyCheck, indexedNo: from } = await readIndex(app);
  const { settled } = await app.store.settledArrival();
  const { due, through } = await findDue(app, { from, settled });
  if (due.length === 0 && through - from < numbersAtOnce) return false;
  const to = (due.length < recordsAtOnce ? undefined : due.at(-1)?.changeNo) ?? through;
  const hashed = await hashRecords(app, due, keys);
  const isStored = await search.store(hashed, { keyCheck, mark: { from, to } });
  return !isStored || to < settled;
}

/** The next records that are due, and up to where the changes were searched. */
async function findDue(
  app: App,
  { from, settled }: { readonly from: number; readonly settled: number },
) {
  let after = from;
  for (let searched = 1; ; searched += 1) {
    const through = Math.min(settled, after + numbersAtOnce);
    const page = { after, through, settled, limit: recordsAtOnce };
    const due = through > after ? await app.store.of(persons).listDue(page) : [];
    if (due.length > 0 || through === settled || searched === fruitlessMax) return { due, through };
    after = through;
  }
}

async function readIndex(app: App): Promise<SearchState & { readonly keys: SearchKeys }> {
  const search = app.store.of(persons);
  const keys = requireKeys(app);
  const state = await search.state();
  if (state.keyCheck === keys.check) return { ...state, keys };
  if (state.keyCheck !== 0) {
    throw new OperatorError(
      operatorErrors.search_key,
      "The index of persons was made with another key for receipts than the one of this process. Put that one back, or make the index again.",
      { context: { isOther: true } },
    );
  }
  await search.begin(keys.check);
  return { keyCheck: keys.check, indexedNo: 0, keys };
}

/**
 * Does not move the mark, so it need not wait for changes of others. False if there is too much. Throws OperatorError
 * search_key.
 */
export async function indexArrivals(
  app: App,
  { organizationId, stepsMax }: { readonly organizationId: string; readonly stepsMax: number },
): Promise<boolean> {
  const { store } = app;
  const search = store.of(persons);
  let { indexedNo: after } = await search.state();
  const { settled: through } = await store.settledArrival();
  if (through - after > arrivalsMax) return false;
  const query = { organizationId, types: searchedTypes, content: false, limit: recordsAtOnce };
  for (let step = 0; step < stepsMax; step += 1) {
    const arrived = await store.arrivals.list({ ...query, after, through });
    const keys = arrived
      .filter(({ notice }) => notice === undefined)
      .map(({ resourceType, resourceId }) => ({ organizationId, resourceType, resourceId }));
    const own = [...new Map(keys.map((key) => [keyText(key), key])).values()];
    const { keyCheck, keys: hashKeys } = await readIndex(app);
    const hashed = await hashRecords(app, own, hashKeys);
    if (!(await search.store(hashed, { keyCheck }))) continue;
    const last = arrived.at(-1);
    if (last === undefined || arrived.length < recordsAtOnce) return true;
    after = last.changeNo;
  }
  return false;
}

export const index: DerivedIndex = { name: "persons", begin: beginIndex, makeRound };

/** Pauses beside writers, which would wait while it hashes. */
function makeRound(app: App): ReturnType<DerivedIndex["makeRound"]> {
  const pace = new DeletionPace(app);
  return async (stopping) => {
    const startedAt = performance.now();
    if (!(await indexNext(app))) return false;
    const workMs = performance.now() - startedAt;
    const latestArrival = await app.store.latestArrival();
    await pace.rest({ latestArrival, workMs }, stopping).catch(() => undefined);
    return true;
  };
}

/** Indexes everything again, unless that has begun with this key already. Throws OperatorError search_key. */
async function beginIndex(app: App): Promise<void> {
  const search = app.store.of(persons);
  const { check } = requireKeys(app);
  const { keyCheck, indexedNo: after } = await search.state();
  const { settled } = await app.store.settledArrival();
  const isBehind = async () => {
    const through = Math.min(settled, after + numbersAtOnce);
    const page = { after, through, settled, limit: 1 };
    return settled > through || (await search.listDue(page)).length > 0;
  };
  if (keyCheck === check && (await isBehind())) return;
  await search.begin(check);
}

/** Throws OperatorError search_key. */
export function requireKeys(app: App): SearchKeys {
  const keys = app.derive(makeSearchKeys);
  if (keys !== undefined) return keys;
  throw new OperatorError(
    operatorErrors.search_key,
    "There is no key for receipts that this user can read, and the keys of the index of persons are derived from it. The service creates it when it first starts.",
  );
}

async function hashRecords(
  app: App,
  due: readonly RecordKey[],
  keys: SearchKeys,
): Promise<readonly IndexedRecord[]> {
  if (due.length === 0) return [];
  const first = await app.store.of(persons).readChanges(due, firstChanges);
  const byRecord = Map.groupBy(first, keyText);
  const records: IndexedRecord[] = [];
  const readTelephone = await loadTelephoneReader();
  for (const key of due) {
    const changes = await readAll(app, key, byRecord.get(keyText(key)) ?? []);
    records.push(hashRecord(key, changes, { keys, readTelephone }));
    // Lets other work run between two records.
    await setImmediate();
  }
  return records;
}

async function readAll(
  app: App,
  key: RecordKey,
  first: readonly Change[],
): Promise<readonly Change[]> {
  if (first.length < firstChanges) return first;
  const changes = [...first];
  let bytes = 0;
  for await (const page of historyPages(app, key, first.at(-1)?.changeNo)) {
    for (const { payload } of page) bytes += Buffer.byteLength(payload);
    if (bytes > changesBytesMax) break;
    changes.push(...page);
    if (changes.length >= changesMax) break;
  }
  return changes;
}

export function hashRecord(
  { organizationId, resourceType, resourceId }: RecordKey,
  latestFirst: readonly Change[],
  { keys, readTelephone }: { readonly keys: SearchKeys; readonly readTelephone: TelephoneReader },
): IndexedRecord {
  const key = { organizationId, resourceType, resourceId };
  const changes = latestFirst.toReversed();
  const last = changes.at(-1);
  if (last === undefined || !isSearched(resourceType)) return { ...key, changeNo: 0, tokens: [] };
  const state = mergeChanges(findType(resourceType), changes);
  const payloads = changes.map(({ payload }) => JSON.parse(payload) as Payload);
  const terms = readTerms(resourceType, { state, changes: payloads, readTelephone });
  const tokens = terms.map(({ term, field, former }) => {
    return { hash: keys.hash(organizationId, term), field, former };
  });
  return { ...key, changeNo: last.changeNo, tokens };
}

/** Half of SHA-256: collisions within an organization are not to be expected. */
const hashBytes = 16;
const keyBytes = 32;
/** Every engine can store it exactly in a number. */
const checkBytes = 6;

interface SearchKeys {
  /** Identifies the secret from which the keys are derived. */
  readonly check: number;
  hash(organizationId: string, text: string): Uint8Array;
}

export function makeSearchKeys(secret: KeyObject): SearchKeys {
  const from = secret.export({ format: "der", type: "pkcs8" });
  const derive = (what: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", from, "", `index of persons, ${what}`, bytes));
  const keys = new Map<string, Buffer>();
  const keyOf = (organizationId: string): Buffer => {
    const key = keys.get(organizationId) ?? derive(`of ${organizationId}`, keyBytes);
    keys.set(organizationId, key);
    return key;
  };
  return {
    // Never 0, which means that no key is in use.
    check: 1 + derive("check", checkBytes).readUIntBE(0, checkBytes),
    hash: (organizationId, text) =>
      createHmac("sha256", keyOf(organizationId)).update(text).digest().subarray(0, hashBytes),
  };
}
