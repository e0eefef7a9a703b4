// Reads the changes of records that stay: all of records with few changes, and part by part those of records with many,
// so that no transaction reads more than it may rewrite. Changes nothing.

import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { limits } from "../../../domain/limits.ts";
import { type KeyRow, rowKeyText, keyValues } from "../../shared/record-key.ts";
import { all, type Statements } from "../statement/statements.ts";
import { keyRows, namedRecords } from "../statement/named.ts";

const readAll = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite CROSS JOIN change USING (record_no)
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  ORDER BY organization_id, resource_type, resource_id, change_no`;

/**
 * Selects numbers beyond `$4`, up to `$5`, by whole keys: otherwise PostgreSQL may read all that arrived in between.
 */
export const changesBetween = `
  --sqlite FROM record CROSS JOIN change USING (record_no)
  --sqlite WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  --sqlite   AND change_no > $4 AND change_no <= $5
  --postgres FROM change
  --postgres WHERE organization_id = $1 AND (resource_type, resource_id, change_no) > ($2, $3, $4)
  --postgres   AND (resource_type, resource_id, change_no) <= ($2, $3, $5)
    --citus AND resource_id = $3
  `;

/** Every column of the key: the order of the index on PostgreSQL too. */
export const inOrder = "ORDER BY resource_type, resource_id, change_no";

/** Greater than every number of a change. */
export const anyChange = Number.MAX_SAFE_INTEGER;

const readSizes = `
  SELECT change_no, octet_length(payload) AS bytes ${changesBetween} ${inOrder} LIMIT $6`;

const readPage = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key ${changesBetween}
  ${inOrder}`;

/** In a statement about `record`, this finds the change after the first ones; their number follows. */
export const changeAfter = `
      SELECT 1 FROM change
      --sqlite WHERE change.record_no = record.record_no
      --postgres WHERE change.organization_id = record.organization_id
      --postgres   AND change.resource_type = record.resource_type
      --postgres   AND change.resource_id = record.resource_id
      LIMIT 1 OFFSET`;

/** A record with more changes than this is read part by part. */
const changesOfShortMax = 16;

/** None of them exceeds the room of a step. `MATERIALIZED` keeps PostgreSQL from joining other changes first. */
const measureShort = `
  WITH short AS MATERIALIZED (
    SELECT record.* FROM ${namedRecords}
      --sqlite CROSS
      JOIN record USING (organization_id, resource_type, resource_id)
    WHERE NOT EXISTS (${changeAfter} ${changesOfShortMax})
      --citus AND record.resource_id = ANY ($3::text[])
    )
  SELECT organization_id, resource_type, resource_id, count(*) AS changes,
    sum(octet_length(payload)) AS bytes
  FROM short
    --sqlite CROSS JOIN change USING (record_no)
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  GROUP BY organization_id, resource_type, resource_id`;

export interface PayloadRow extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
  readonly reply_key: Uint8Array | null;
}

interface Size {
  readonly changes: number;
  readonly bytes: number;
}

/** How much one transaction may still read of payloads, of which it may rewrite all. */
export class Room {
  #changes = limits.rewrittenChangesMax;
  #bytes = limits.rewrittenBytesMax;

  get changes(): number {
    return this.#changes;
  }

  /** A change, and a record with few changes, always fit into an unused room. */
  take({ changes, bytes }: Size): boolean {
    if (changes > this.#changes || bytes > this.#bytes) return false;
    this.#changes -= changes;
    this.#bytes -= bytes;
    return true;
  }
}

export interface ChangesPart {
  readonly changes: readonly PayloadRow[];
  /** Whether no later change exists. */
  readonly isLast: boolean;
}

/** Reads the changes of one record that arrived after this one, in order, as many as there is room for. */
export function* readChangesAfter(
  key: RecordKey,
  after: number,
  room: Room,
): Statements<ChangesPart> {
  const from = [...keyValues(key), after] as const;
  const sizesMax = room.changes + 1;
  type Sized = { readonly change_no: number; readonly bytes: number };
  const sizes = yield* all<Sized>(readSizes, ...from, anyChange, sizesMax);
  const end = sizes.findIndex(({ bytes }) => !room.take({ changes: 1, bytes }));
  const last = sizes.at(end === -1 ? -1 : end - 1);
  if (last === undefined || end === 0) return { changes: [], isLast: sizes.length === 0 };
  const changes = yield* all<PayloadRow>(readPage, ...from, last.change_no);
  return { changes, isLast: end === -1 && sizes.length < sizesMax };
}

/** The last change that was read of what is `Wanted`. */
export function lastChangeOf({ after, changes }: Wanted & ChangesPart): number {
  return changes.at(-1)?.change_no ?? after;
}

/** A record of which a transaction reads the changes that arrived after this one. */
export interface Wanted {
  readonly key: RecordKey;
  readonly after: number;
  /** Such records have a room of their own, so that they never affect how much is read of others. */
  readonly isConfidential: boolean;
}

/**
 * Reads the changes of the records in each list, in order, as many as there is room for. A list ends with the first
 * record of which more is left, or before one for which there is no room. Nothing is read twice: lists share what was
 * read of a record, and one that continues at another change of it has to wait.
 */
export function* readInTurn<One extends Wanted>(
  lists: readonly (readonly One[])[],
): Statements<readonly (readonly (One & ChangesPart)[])[]> {
  const keys = new Map(lists.flat().map(({ key }) => [keyText(key), key]));
  const sizes = yield* all<KeyRow & Size>(measureShort, keyRows([...keys.values()]));
  const reading = new Reading(new Map(sizes.map((row) => [rowKeyText(row), row])));
  const read: (One & ChangesPart)[][] = [];
  for (const list of lists) {
    const some: (One & ChangesPart)[] = [];
    read.push(some);
    for (const one of list) {
      const part = yield* reading.begin(one);
      if (part !== undefined) some.push({ ...one, ...part });
      if (part?.isLast !== true) break;
    }
  }
  yield* reading.end();
  return read;
}

/** What one transaction reads. */
class Reading {
  /** The records with few changes. */
  readonly #sizes: ReadonlyMap<string, Size>;
  readonly #rooms = { open: new Room(), confidential: new Room() };
  readonly #parts = new Map<string, { readonly after: number; readonly part: ChangesPart }>();
  /** Records with few changes, and where their changes go. */
  readonly #short = new Map<string, { readonly key: RecordKey; readonly rows: PayloadRow[] }>();

  constructor(sizes: ReadonlyMap<string, Size>) {
    this.#sizes = sizes;
  }

  /** Undefined if there is no room, or if another part of the record is read. */
  *begin({ key, after, isConfidential }: Wanted): Statements<ChangesPart | undefined> {
    const text = keyText(key);
    const known = this.#parts.get(text);
    if (known !== undefined) return known.after === after ? known.part : undefined;
    const room = this.#rooms[isConfidential ? "confidential" : "open"];
    const size = after === 0 ? this.#sizes.get(text) : undefined;
    if (size !== undefined && !room.take(size)) return undefined;
    const rows: PayloadRow[] = [];
    if (size !== undefined) this.#short.set(text, { key, rows });
    const part =
      size === undefined
        ? yield* readChangesAfter(key, after, room)
        : { changes: rows, isLast: true };
    this.#parts.set(text, { after, part });
    return part;
  }

  /** Reads the records with few changes. */
  *end(): Statements<void> {
    const keys = [...this.#short.values()].map(({ key }) => key);
    for (const row of yield* all<PayloadRow>(readAll, keyRows(keys))) {
      this.#short.get(rowKeyText(row))?.rows.push(row);
    }
  }
}
