// Builds the index of persons and companies, step by step: collects records from before, then hashes what those that
// are due are found by. A step is bounded, and a step that is lost in a crash is taken again.

import { setImmediate } from "node:timers/promises";
import { mergeChanges } from "../../domain/record/merge.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import type { Payload } from "../../domain/record-type.ts";
import { isSearched, searchedTypes } from "../../domain/search/searched-types.ts";
import type { IndexedRecord } from "../../store/interface/search.ts";
import type { App, SearchKeys } from "../app.ts";
import { DeletionPace } from "../deletion/deletion-pace.ts";
import { historyPages } from "../pages.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { readTerms } from "./record-terms.ts";
import { loadTelephoneReader, type TelephoneReader } from "./telephone.ts";
import { requireRight } from "../operator/viewer.ts";
import { auditAccess } from "../trail/audit-access.ts";
import { findType } from "../record/find-named-record.ts";

/** Records whose changes are read, and hashes stored, in one transaction. */
const recordsAtOnce = 64;
/** Records that become due in one transaction. */
const collectedAtOnce = 1_000;
/** Most records have fewer changes, so one statement reads all of them. */
const firstChanges = 4;
/** Values of earlier changes are not found. */
const changesMax = 1_000;
/** The changes of a record are parsed in one event-loop tick. */
const changesBytesMax = 8 * 1_024 * 1_024;

/** Where a builder stands. Only in memory, because it names a record. */
export class IndexBuilder {
  readonly #app: App;
  readonly #organizationId: string | undefined;
  #due: RecordKey | undefined;
  #collection: Collection | undefined;

  /** For the records of one organization, or of all. */
  constructor(app: App, organizationId?: string) {
    this.#app = app;
    this.#organizationId = organizationId;
  }

  /** Takes the next step; false if there is nothing left to do. Throws OperatorError search_key. */
  async step(): Promise<boolean> {
    const { search } = this.#app.store;
    const keys = requireKeys(this.#app);
    const { keyCheck, collecting } = await search.state();
    if (keyCheck === 0) await search.begin(keys.check);
    else requireSame(keys, keyCheck);
    if (collecting) {
      await this.#collect(keys.check);
      return true;
    }
    this.#collection = undefined;
    const due = await search.listDue({
      organizationId: this.#organizationId,
      after: this.#due,
      limit: recordsAtOnce,
    });
    const hadMore = this.#due !== undefined;
    this.#due = due.at(-1);
    if (due.length > 0) await search.store(await hashRecords(this.#app, due, keys), keys.check);
    return due.length > 0 || hadMore;
  }

  /** What was collected for another key may have been hashed with it, so the collection begins again. */
  async #collect(keyCheck: number): Promise<void> {
    const { search } = this.#app.store;
    if (this.#collection?.keyCheck !== keyCheck) {
      this.#collection = { keyCheck, left: await listParts(this.#app) };
    }
    const { left } = this.#collection;
    const part = left.at(-1);
    if (part === undefined) return search.endCollection(keyCheck);
    const resourceId = await search.collect(part, collectedAtOnce);
    left.pop();
    if (resourceId !== undefined) left.push({ ...part, resourceId });
  }
}

/** Marks all records from before as due, for the hashes of one key. */
interface Collection {
  readonly keyCheck: number;
  /** The records of each type after this one; the last part is the next one. */
  readonly left: RecordKey[];
}

/** An organization that is created later has no records from before. */
async function listParts({ store }: App): Promise<RecordKey[]> {
  const organizations = await store.listOrganizations();
  return organizations.flatMap(({ organizationId }) =>
    searchedTypes.map((resourceType) => ({ organizationId, resourceType, resourceId: "" })),
  );
}

/**
 * Returns what takes the next step, and then rests beside writers, who would otherwise wait for the hashes of what they
 * write. It returns false if there is nothing left to do.
 */
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
 * Makes everything due, under the key of this process, unless the index is being made with it already. Throws
 * OperatorError not_permitted and search_key.
 */
export async function beginIndex(app: App): Promise<void> {
  requireRight(app, "subject.index");
  const { storeId } = await app.store.receiptHead();
  const about = { organizationId: undefined, subject: storeId, detail: {} };
  await auditAccess(app, "subject.index", about);
  const { check } = requireKeys(app);
  const { keyCheck, collecting } = await app.store.search.state();
  const due = await app.store.search.listDue({
    organizationId: undefined,
    after: undefined,
    limit: 1,
  });
  if (keyCheck === check && (collecting || due.length > 0)) return;
  await app.store.search.begin(check);
}

/** Throws OperatorError search_key. */
export function requireKeys(app: App): SearchKeys {
  const keys = app.searchKeys();
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
  const byRecord = Map.groupBy(first, nameOf);
  const records: IndexedRecord[] = [];
  const readTelephone = await loadTelephoneReader();
  for (const key of due) {
    const changes = await readAll(app, key, byRecord.get(nameOf(key)) ?? []);
    records.push(hashRecord(key, changes, { keys, readTelephone }));
    // Others are served between two records.
    await setImmediate();
  }
  return records;
}

/** Types contain no space, nor do the ids of organizations. */
function nameOf({ organizationId, resourceType, resourceId }: RecordKey): string {
  return `${organizationId} ${resourceType} ${resourceId}`;
}

/** The latest changes, the latest first. */
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

function hashRecord(
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
