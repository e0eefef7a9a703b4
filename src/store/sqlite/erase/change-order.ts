// Removes the changes of an organization in the order of their numbers, before its records are removed in the order of
// their keys. Records with neighbouring random keys have changes all over the file, and each of their pages would be
// written separately.
//
// The numbers are only in memory: changes that this leaves, after a restart or beyond its bounds, are removed with the
// records, page by page.

import { type Page, removeChangesOfLast } from "../../sql/erase/organization-erasure.ts";
import type { NextPage } from "../../sql/part.ts";
import { named } from "../../sql/statement/named.ts";
import { all, Rows, run, type Statements, scalar, get } from "../../sql/statement/statements.ts";
import { afterAllTypes, type KeyRow } from "../../shared/record-key.ts";

/** How many numbers are in memory, each of which takes 8 bytes. */
const numbersMax = 8_000_000;
/** How many numbers are sorted together: this takes a few milliseconds. */
const bucketNumbers = 65_536;
/** Reading a number, and removing a change in order, takes a fraction of the time of removing a row by its key. */
const readTimes = 10;
const removedTimes = 3;
/** If on average so many neighbours have consecutive numbers, removing changes with their records is faster. */
const neighboursWanted = 8;

const readNumbers = `
  SELECT resource_type, resource_id, record_no FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($2, $3)
  ORDER BY resource_type, resource_id LIMIT $4`;

const findEnd = `
  SELECT change.record_no FROM ${named("record_no bigint")} CROSS JOIN change USING (record_no)
  ORDER BY change.record_no LIMIT 1 OFFSET $2`;

export const removeChanges = `DELETE FROM change WHERE record_no BETWEEN $1 AND $2`;

interface NumberRow {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly record_no: number;
}

/** One organization at a time; the changes of others are left to the removal of their records. */
export class ChangeOrder {
  #organizationId: string | undefined;
  /** The key of the last record that was read; undefined when all were read. */
  #after: readonly [type: string, id: string] | undefined;
  #count = 0;
  readonly #buckets = new Map<number, number[]>();
  /** The rest of the first bucket, in order. */
  #next = new Float64Array();

  /** Reads numbers, and removes changes once all numbers are read. */
  *erase({ organizationId, rowsMax }: Page): Statements<NextPage> {
    if (this.#organizationId === undefined) {
      this.#organizationId = organizationId;
      this.#after = ["", ""];
      this.#count = 0;
    }
    if (this.#organizationId !== organizationId) return undefined;
    if (this.#after !== undefined) yield* this.#read(this.#after, rowsMax * readTimes);
    if (this.#after === undefined && this.#count > 0) yield* this.#remove(rowsMax * removedTimes);
    const isMore = this.#after !== undefined || this.#next.length > 0 || this.#buckets.size > 0;
    if (!isMore) this.#organizationId = undefined;
    return isMore ? [] : undefined;
  }

  *#read(after: readonly [string, string], rowsMax: number): Statements<void> {
    const key = [this.#organizationId ?? "", ...after] as const;
    const rows = yield* all<NumberRow>(readNumbers, ...key, rowsMax);
    if (this.#count === 0 && areNeighbours(rows)) {
      this.#after = undefined;
      return;
    }
    for (const { record_no } of rows) {
      const place = Math.floor(record_no / bucketNumbers);
      const bucket = this.#buckets.get(place);
      if (bucket === undefined) this.#buckets.set(place, [record_no]);
      else bucket.push(record_no);
    }
    this.#count += rows.length;
    const last = rows.at(-1);
    const isMore = last !== undefined && rows.length === rowsMax && this.#count < numbersMax;
    this.#after = isMore ? [last.resource_type, last.resource_id] : undefined;
  }

  /** A record with more changes than a step may remove is left to the removal of the records. */
  *#remove(rowsMax: number): Statements<void> {
    if (this.#next.length === 0) this.#takeBucket();
    const some = this.#next.subarray(0, rowsMax);
    const numbers = Array.from(some, (number) => [number]);
    const end = yield* scalar<number>(findEnd, new Rows(numbers, 1), rowsMax);
    const past = end === undefined ? -1 : some.findIndex((number) => number >= end);
    const part = past === -1 ? some : some.subarray(0, past);
    for (const [first, last] of rangesOf(part)) yield* run(removeChanges, first, last);
    this.#next = this.#next.subarray(Math.max(1, part.length));
  }

  #takeBucket(): void {
    const place = Math.min(...this.#buckets.keys());
    this.#next = Float64Array.from(this.#buckets.get(place) ?? []).sort();
    this.#buckets.delete(place);
  }
}

function areNeighbours(rows: readonly NumberRow[]): boolean {
  const numbers = Float64Array.from(rows, ({ record_no }) => record_no).sort();
  return rangesOf(numbers).length * neighboursWanted <= rows.length;
}

/** Removes consecutive numbers, which are in order, together: no other record has a number in between. */
export function rangesOf(
  numbers: Iterable<number>,
): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  let range: [number, number] | undefined;
  for (const number of numbers) {
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push((range = [number, number]));
  }
  return ranges;
}

/** A record whose changes are gone takes half the time of a record with changes. */
const recordTimes = 2;

/** Counts a record without changes as a row. */
const findEndOfPage = `
  SELECT resource_type, resource_id, change_no FROM record LEFT JOIN change USING (record_no)
  WHERE organization_id = $1
  ORDER BY resource_type, resource_id, change_no LIMIT 1 OFFSET $2`;

const readNumbersBefore = `
  SELECT resource_type, record_no FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) < ($2, $3)`;

const removeRecords = `
  DELETE FROM record WHERE organization_id = $1 AND (resource_type, resource_id) < ($2, $3)`;

const removeLast = `
  DELETE FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND NOT EXISTS (SELECT 1 FROM change WHERE change.record_no = record.record_no)`;

interface TypedNumberRow {
  readonly resource_type: string;
  readonly record_no: number;
}

interface EndRow extends Omit<KeyRow, "organization_id"> {
  /** Null if the record has no change. */
  readonly change_no: number | null;
}

/** A page ends before or within a record, from which only the changes on the page are removed. */
export function* eraseNumberedRecords(page: Page): Statements<NextPage> {
  const { organizationId, rowsMax, erasedTypes } = page;
  const end = yield* get<EndRow>(findEndOfPage, organizationId, rowsMax * recordTimes - 1);
  const key = [end?.resource_type ?? afterAllTypes, end?.resource_id ?? ""] as const;
  const rows = yield* all<TypedNumberRow>(readNumbersBefore, organizationId, ...key);
  const numbers = Float64Array.from(rows, ({ record_no }) => record_no).sort();
  for (const [first, last] of rangesOf(numbers)) yield* run(removeChanges, first, last);
  yield* run(removeRecords, organizationId, ...key);
  erasedTypes.push(...rows.map(({ resource_type }) => resource_type));
  if (end === undefined) return undefined;
  yield* run(removeChangesOfLast, organizationId, ...key, end.change_no ?? 0);
  const removed = yield* run(removeLast, organizationId, ...key);
  if (removed === 1) erasedTypes.push(end.resource_type);
  return key;
}
