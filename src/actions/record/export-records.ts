// Reads all records of a type for an export, as of one moment. Keeps one page of changes in memory at a time, and does
// not block writes or erasures.

import { StateFold } from "../../domain/record/merge.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { ExportedChange } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { readPages } from "../pages.ts";

/** How many changes are in memory at a time. */
const exportPageChanges = 250;

export interface ExportedType {
  readonly organizationId: string;
  readonly type: RecordType;
}

export interface ExportedEvent {
  /** Within the record, from 1. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  readonly payload: Payload;
}

/** Yields every change, in the order of ids and, within a record, of arrival. */
export async function* exportHistory(
  app: App,
  exported: ExportedType,
): AsyncGenerator<readonly ExportedEvent[]> {
  const asked = { ...exported, upTo: await app.store.latestArrival() };
  for await (const records of readRecords(app, asked)) {
    for (const { id, changes } of records) {
      let number = 0;
      for await (const page of changes === undefined ? readChanges(app, asked, id) : [changes]) {
        yield page.map(({ receivedAt, payload }): ExportedEvent => {
          number += 1;
          return { number, receivedAt, payload: JSON.parse(payload) as Payload };
        });
      }
    }
  }
}

interface Asked extends ExportedType {
  /** The last arrival that is read. */
  readonly upTo: number;
}

export interface ReadRecord {
  readonly id: string;
  readonly first: ExportedChange;
  readonly fold: StateFold;
  /** Undefined if there are too many for memory. */
  changes: ExportedChange[] | undefined;
}

/** In the order of ids. Records that are erased meanwhile may be missing. */
export async function* readRecords(app: App, asked: Asked): AsyncGenerator<readonly ReadRecord[]> {
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
        const fold = new StateFold(asked.type);
        record = { id: change.resourceId, first: change, fold, changes: [] };
      }
      record.fold.add(change);
      if (record.changes?.length === exportPageChanges) record.changes = undefined;
      else record.changes?.push(change);
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

async function exists(app: App, { organizationId, type }: Asked, id: string): Promise<boolean> {
  const key = { organizationId, resourceType: type.resourceType, resourceId: id };
  return (await app.store.findRecord(key)) !== undefined;
}
