// Reads all records of a type for an export: their latest states, or all their changes, as of one moment. Keeps one
// page of changes in memory at a time, and does not block writes or erasures.

import { StateFold } from "../../domain/record/merge.ts";
import { canonicalPayload, isTooLarge, timestampOf } from "../../domain/record/payload.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { NormalisedTimestamp } from "../../domain/timestamp.ts";
import { validatePayload } from "../../domain/validation/validate.ts";
import type { ExportedChange } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { readPages } from "../pages.ts";

/** How many changes are in memory at a time. */
const exportPageChanges = 250;

export interface ExportRequest {
  readonly organizationId: string;
  readonly type: RecordType;
  /** Selects by the business time of the latest state, or of each change: at or after `from`, and before `to`. */
  readonly from?: NormalisedTimestamp | undefined;
  readonly to?: NormalisedTimestamp | undefined;
  /** Selects by the latest state of the record. */
  readonly test: "include" | "exclude" | "only";
}

export interface ExportedState {
  readonly state: Payload;
  /** The state in canonical JSON; undefined if `changes` is present. */
  readonly text: string | undefined;
  /** The changes that result in this state, the first by POST; only if no single POST would be accepted. */
  readonly changes: readonly Payload[] | undefined;
}

export interface ExportedEvent {
  /** Within the record, from 1. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly payload: Payload;
}

/** Yields the latest states, in the order of ids. Records that are erased meanwhile may be missing. */
export async function* exportStates(
  app: App,
  request: ExportRequest,
): AsyncGenerator<readonly ExportedState[]> {
  const upTo = await app.store.latestArrival();
  for await (const records of readRecords(app, { ...request, upTo })) {
    yield records
      .map((record) => describeState(request.type, record))
      .filter(({ state }) => isWanted(request, state) && isInTime(request, state));
  }
}

/** Yields every change, in the order of ids and, within a record, of arrival. */
export async function* exportHistory(
  app: App,
  request: ExportRequest,
): AsyncGenerator<readonly ExportedEvent[]> {
  const upTo = await app.store.latestArrival();
  const asked = { ...request, upTo };
  for await (const records of readRecords(app, asked)) {
    for (const { id, fold, changes } of records) {
      if (!isWanted(request, fold.state())) continue;
      let number = 0;
      for await (const page of changes === undefined ? readChanges(app, asked, id) : [changes]) {
        const events = page.map(({ receivedAt, payload }): ExportedEvent => {
          number += 1;
          return { number, receivedAt, payload: JSON.parse(payload) as Payload };
        });
        yield events.filter(({ payload }) => isInTime(request, payload));
      }
    }
  }
}

interface Asked extends ExportRequest {
  readonly upTo: number;
}

interface ReadRecord {
  readonly id: string;
  readonly first: ExportedChange;
  readonly fold: StateFold;
  /** Undefined if there are too many for memory. */
  changes: ExportedChange[] | undefined;
}

async function* readRecords(app: App, asked: Asked): AsyncGenerator<readonly ReadRecord[]> {
  let record: ReadRecord | undefined;
  for await (const page of readChangePages(app, asked)) {
    const done: ReadRecord[] = [];
    // A record that ended a page and is not on the next one may have been erased in between.
    if (record !== undefined && page[0]?.resourceId !== record.id) {
      if (await exists(app, asked, record.id)) done.push(record);
      record = undefined;
    }
    for (const change of page) {
      if (record?.id !== change.resourceId) {
        if (record !== undefined) done.push(record);
        record = startRecord(asked.type, change);
      }
      addChange(record, change);
    }
    yield done;
  }
  if (record !== undefined) yield [record];
}

async function* readChanges(
  app: App,
  asked: Asked,
  id: string,
): AsyncGenerator<readonly ExportedChange[]> {
  for await (const page of readChangePages(app, asked, { resourceId: id, changeNo: 0 })) {
    yield page.filter(({ resourceId }) => resourceId === id);
    if (page.at(-1)?.resourceId !== id) return;
  }
}

function readChangePages(
  { store }: App,
  { organizationId, type: { resourceType }, upTo }: Asked,
  from?: Pick<ExportedChange, "resourceId" | "changeNo">,
): AsyncGenerator<readonly ExportedChange[]> {
  const limit = exportPageChanges;
  return readPages<ExportedChange>(limit, (last) =>
    store.listChanges({ organizationId, resourceType, upTo, after: last ?? from, limit }),
  );
}

function startRecord(type: RecordType, first: ExportedChange): ReadRecord {
  return { id: first.resourceId, first, fold: new StateFold(type), changes: [] };
}

function addChange(record: ReadRecord, change: ExportedChange): void {
  record.fold.add(change);
  if (record.changes === undefined || record.changes.length === exportPageChanges) {
    record.changes = undefined;
  } else {
    record.changes.push(change);
  }
}

async function exists(app: App, { organizationId, type }: Asked, id: string): Promise<boolean> {
  const key = { organizationId, resourceType: type.resourceType, resourceId: id };
  return (await app.store.findRecord(key)) !== undefined;
}

/** Updates can result in a state that no single submission can have, such as a transaction without a sender. */
function describeState(type: RecordType, { fold, first }: ReadRecord): ExportedState {
  const state = fold.state();
  const isValid = validatePayload(type, "add", state).length === 0;
  const text = isValid ? canonicalPayload(type, state, "add") : undefined;
  if (text !== undefined && !isTooLarge(text)) return { state, text, changes: undefined };
  const sources = fold.sources().filter(({ changeNo }) => changeNo !== first.changeNo);
  const changes = [first, ...sources].map(({ payload }) => JSON.parse(payload) as Payload);
  return { state, text: undefined, changes };
}

const testFlags: ReadonlySet<string> = new Set(["is_test", "is_test_user", "is_test_company"]);

export function testFlagOf(type: RecordType): string | undefined {
  return type.fieldNames.find((name) => testFlags.has(name));
}

function isWanted({ type, test }: ExportRequest, state: Payload): boolean {
  if (test === "include") return true;
  const flag = testFlagOf(type);
  const isTest = flag !== undefined && state[flag] === true;
  return isTest === (test === "only");
}

function isInTime({ from, to }: ExportRequest, payload: Payload): boolean {
  if (from === undefined && to === undefined) return true;
  const at = timestampOf(payload) ?? "";
  return (from === undefined || at >= from) && (to === undefined || at < to);
}
