// Builds the index of persons and companies, step by step: reads in the order of arrival which of them have changed
// beyond a mark, hashes the values by which they are found, and moves the mark. A step is bounded, and a step that a
// crash loses is repeated.

import { setImmediate } from "node:timers/promises";
import { mergeChanges } from "../../domain/record/merge.ts";
import { type Change, keyText, type RecordKey } from "../../domain/record/record-write.ts";
import type { Payload } from "../../domain/record-type.ts";
import { isSearched, searchedTypes } from "./store/searched-types.ts";
import type { IndexedRecord, SearchState } from "./store/search.ts";
import type { App } from "../../actions/app.ts";
import { makeSearchKeys, type SearchKeys } from "./search-keys.ts";
import { DeletionPace } from "../../actions/deletion/deletion-pace.ts";
import { historyPages } from "../../actions/pages.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readTerms } from "./record-terms.ts";
import { loadTelephoneReader, type TelephoneReader } from "./telephone.ts";
import { requireRight } from "../../actions/operator/viewer.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import { findType } from "../../actions/record/find-named-record.ts";

/** For how many records one transaction reads changes and stores hashes. */
const recordsAtOnce = 64;
/** How many arrival numbers one statement searches: on SQLite, the serving thread runs it. */
const numbersAtOnce = 2_000;
/** The mark skips at least this many changes of other types at once, because each search reads them again. */
const unmarkedMax = 4_000;
/** An organization whose changes are not indexed waits for others when there are this many. */
const arrivalsMax = 1_000_000;
/** Most records have fewer changes, so one statement reads all of them. */
const firstChanges = 4;
/** Values of earlier changes are not found. */
const changesMax = 1_000;
/** The changes of a record are parsed in one event-loop tick. */
const changesBytesMax = 8 * 1_024 * 1_024;

export class IndexBuilder {
  readonly #app: App;
  /** Up to where this process has found nothing to index after the mark. */
  #searched: SearchState = { keyCheck: 0, indexedNo: 0 };
  #through = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** False if everything that had arrived by then is indexed. Throws OperatorError search_key. */
  async step(): Promise<boolean> {
    const { search } = this.#app.store;
    const { keys, ...state } = await readIndex(this.#app);
    const { keyCheck, indexedNo } = this.#searched;
    const isKnown = keyCheck === state.keyCheck && indexedNo === state.indexedNo;
    const after = isKnown ? this.#through : state.indexedNo;
    const { settled } = await this.#app.store.settledArrival();
    const through = Math.min(settled, after + numbersAtOnce);
    if (through <= after) return false;
    const due = await search.listDue({ after, through, settled, limit: recordsAtOnce });
    const to = (due.length < recordsAtOnce ? undefined : due.at(-1)?.changeNo) ?? through;
    if (due.length > 0 || to - state.indexedNo >= unmarkedMax) {
      const mark = { from: state.indexedNo, to };
      const hashed = await hashRecords(this.#app, due, keys);
      if (!(await search.store(hashed, { keyCheck: state.keyCheck, mark }))) return true;
    } else {
      this.#searched = state;
      this.#through = to;
    }
    return to < settled;
  }
}

async function readIndex(app: App): Promise<SearchState & { readonly keys: SearchKeys }> {
  const { search } = app.store;
  const keys = requireKeys(app);
  const state = await search.state();
  const isNew = state.keyCheck === 0 || keys.earlierChecks.includes(state.keyCheck);
  if (!isNew) {
    requireSame(keys, state.keyCheck);
    return { ...state, keys };
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
  let { indexedNo: after } = await store.search.state();
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
    if (!(await store.search.store(hashed, { keyCheck }))) continue;
    const last = arrived.at(-1);
    if (last === undefined || arrived.length < recordsAtOnce) return true;
    after = last.changeNo;
  }
  return false;
}

/** Takes the next step, then pauses beside writers, which would wait while it hashes. False: nothing is left. */
export function makeIndexRound(app: App): (stopping: AbortSignal) => Promise<boolean> {
  const builder = new IndexBuilder(app);
  const pace = new DeletionPace(app);
  return async (stopping) => {
    const startedAt = performance.now();
    if (!(await builder.step())) return false;
    const workMs = performance.now() - startedAt;
    const latestArrival = await app.store.latestArrival();
    await pace.rest({ latestArrival, workMs }, stopping).catch(() => undefined);
    return true;
  };
}

/**
 * Indexes everything again, unless the index uses this key already; the index of parties in any case. Throws
 * OperatorError not_permitted and search_key.
 */
export async function beginIndex(app: App): Promise<void> {
  requireRight(app, "subject.index");
  const { storeId } = await app.store.receiptHead();
  const about = { organizationId: undefined, subject: storeId, detail: {} };
  await auditAccess(app, "subject.index", about);
  const { check } = requireKeys(app);
  await app.store.parties.rebuild();
  const { keyCheck, indexedNo: after } = await app.store.search.state();
  const { settled } = await app.store.settledArrival();
  const isBehind = async () => {
    const through = Math.min(settled, after + unmarkedMax);
    const page = { after, through, settled, limit: 1 };
    return settled > through || (await app.store.search.listDue(page)).length > 0;
  };
  if (keyCheck === check && (await isBehind())) return;
  await app.store.search.begin(check);
}

/** Throws OperatorError search_key. */
export function requireKeys(app: App): SearchKeys {
  const keys = app.derive(makeSearchKeys);
  if (keys !== undefined) return keys;
  throw new OperatorError(
    "search_key",
    "There is no key for receipts that this user can read, and the keys of the index of persons are derived from it. The service creates it when it first starts.",
  );
}

function requireSame({ check }: SearchKeys, keyCheck: number): void {
  if (check === keyCheck) return;
  throw new OperatorError(
    "search_key",
    "The index of persons was made with another key for receipts than the one of this process. Put that one back, or make the index again.",
    { context: { isOther: true } },
  );
}

async function hashRecords(
  app: App,
  due: readonly RecordKey[],
  keys: SearchKeys,
): Promise<readonly IndexedRecord[]> {
  const first = await app.store.search.readChanges(due, firstChanges);
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
