// The entries of the index of parties: adds and removes those of single changes, and the rows of an organization that
// is erased. What is removed need not be indexed. On PostgreSQL the index does not advance until the end of the
// transaction, so that it never contains what was erased after it was read.

import { isRestrictedId } from "../../../domain/deletion/restricted-set.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import {
  allBuckets,
  blockNumbers,
  blockOf,
  divideEntries,
  hashParty,
  type PackedEntries,
  packEntries,
  type PartyEntry,
  toBuffer,
  withoutEntry,
} from "../../shared/party-entries.ts";
import { type KeyRow, toKey as recordKeyOf } from "../../shared/record-key.ts";
import { among, hashIn, hashText, joinNamed, keyRows, named } from "../statement/named.ts";
import { all, get, Rows, run, type Statements } from "../statement/statements.ts";
import { type NamingRow, partiesIn, textsOf } from "./named-parties.ts";

/** The name of the counter that contains the number up to which changes are indexed. */
export const partyCounter = "parties_indexed";

const readState = `
  SELECT salt_key AS key, value AS indexed_no FROM receipt_head CROSS JOIN counter
  WHERE single AND name = '${partyCounter}'`;

const lockState = `
  ${readState}
  --postgres FOR SHARE OF counter
  `;

export const lockStateToAdvance = `
  ${readState}
  --postgres FOR UPDATE OF counter
  `;

const rowKey = ["organization_id", "bucket bigint", "block_no bigint"] as const;
const rowColumns = ["organization_id", "bucket", "block_no"];

/** In the order of the named values: PostgreSQL could read the whole index for the order of the rows. */
const findRows = `
  SELECT party_block.* FROM ${named(...rowKey)}
    ${joinNamed("party_block", rowColumns)}
  ORDER BY named.organization_id, named.bucket, named.block_no
  --postgres FOR UPDATE OF party_block
  `;

const storing = (entries: string) => `
  INSERT INTO party_block (organization_id, bucket, block_no, entries)
  SELECT organization_id, bucket, block_no, ${hashIn("entries")}
  FROM ${named(...rowKey, "entries bytea")}
  WHERE true
  ON CONFLICT (organization_id, bucket, block_no) DO UPDATE SET entries = ${entries}`;

/** Rows that were found are locked. */
const replaceRows = storing("excluded.entries");

/** On PostgreSQL another process may have added the same row meanwhile, and its entries stay. */
const addRows = storing("party_block.entries || excluded.entries");

const removeRows = `DELETE FROM party_block ${among("USING", "party_block", rowKey)}`;

const removePart = `
  DELETE FROM party_block
  WHERE organization_id = $1 AND (bucket, block_no) IN (
    SELECT bucket, block_no FROM party_block
    WHERE organization_id = $1 AND (bucket, block_no) > (CAST($2 AS bigint), CAST($3 AS bigint))
    ORDER BY bucket, block_no LIMIT $4)
  RETURNING bucket, block_no`;

interface RowKey {
  readonly organization_id: string;
  readonly bucket: number;
  readonly block_no: number;
}

type BlockRow = RowKey & { readonly entries: Uint8Array };

export interface PartyState {
  /** The key of the hashes. */
  readonly key: string;
  /** All changes up to this number are indexed; negative while the index is removed to be built again. */
  readonly indexedNo: number;
}

interface StateRow {
  readonly key: string;
  readonly indexed_no: number;
}

export function* readPartyState(sql = readState): Statements<PartyState> {
  const row = yield* get<StateRow>(sql);
  if (row === undefined) throw new TypeError("the index of parties has no state");
  return { key: row.key, indexedNo: row.indexed_no };
}

/** A change of a record that names a party. */
export interface NamedParty extends RecordKey {
  readonly changeNo: number;
  readonly party: string;
}

/** The parties that the changes of these records name. */
export function* readNamedParties(keys: readonly RecordKey[]): Statements<readonly NamedParty[]> {
  const parties: NamedParty[] = [];
  for (const type of namingTypes) {
    const some = keys.filter(({ resourceType }) => resourceType === type.resourceType);
    if (some.length === 0) continue;
    const rows = yield* all<NamingRow>(textsOf(type).ofRecords, keyRows(some));
    for (const row of rows) {
      const { organization_id: organizationId, resource_id: resourceId } = row;
      parties.push(...toNamed({ ...type, organizationId, resourceId }, row));
    }
  }
  return parties;
}

/** On SQLite, those of the first changes of a record. */
export function* readFirstNamed(
  row: KeyRow & { readonly record_no: number },
  changesMax: number,
): Statements<readonly NamedParty[]> {
  const type = namingTypes.find(({ resourceType }) => resourceType === row.resource_type);
  if (type === undefined) return [];
  const rows = yield* all<NamingRow>(textsOf(type).first, row.record_no, changesMax);
  return rows.flatMap((one) => toNamed(recordKeyOf(row), one));
}

function toNamed(
  { organizationId, resourceType, resourceId }: RecordKey,
  row: Pick<NamingRow, "change_no" | "parties">,
): readonly NamedParty[] {
  const key = { organizationId, resourceType, resourceId };
  return partiesIn(row).map((party) => ({ ...key, changeNo: row.change_no, party }));
}

export interface ReplacedEntries {
  readonly remove: readonly NamedParty[];
  readonly add: readonly NamedParty[];
}

/** Runs the same number of statements whatever there is to remove or add: the time must not disclose what is kept. */
export function* replaceEntries({ remove, add }: ReplacedEntries): Statements<void> {
  const { key: hashKey, indexedNo } = yield* readPartyState(lockState);
  const hashed = ({ organizationId, changeNo, party }: NamedParty): PlacedEntry => ({
    ...hashParty(hashKey, organizationId, party),
    organizationId,
    changeNo,
  });
  const going = remove.map(hashed);
  const coming = add
    .map(hashed)
    .filter((one) => isRestrictedId(one.organizationId) || one.changeNo <= indexedNo);
  const rows = yield* readRows([...going, ...coming].flatMap(bucketsOf));
  const changed = new Map<string, StoredRow>();
  for (const entry of going) {
    for (const text of bucketsOf(entry).map(rowText)) {
      const row = changed.get(text) ?? rows.get(text);
      if (row === undefined) continue;
      const packed = withoutEntry(row.packed, entry);
      if (packed !== row.packed) changed.set(text, { ...row, packed });
    }
  }
  for (const entry of coming) {
    const [text = "", together = ""] = bucketsOf(entry).map(rowText);
    const place = rows.has(together) ? together : text;
    const row = changed.get(place) ?? rows.get(place) ?? { ...entry, packed: noEntries };
    changed.set(place, { ...row, packed: Buffer.concat([row.packed, packEntries([entry])]) });
  }
  yield* storePartyRows([...changed.values()], rows);
}

/** Adds the entries of changes up to this number, all in its block. Those of restricted sets may be there already. */
export function* addEntries(entries: readonly PlacedEntry[], changeNo: number): Statements<void> {
  const parts = [...Map.groupBy(entries, ({ organizationId }) => organizationId)].flatMap(
    ([organizationId, some]) =>
      [...divideEntries(some)].map(([bucket, ones]) => ({
        organizationId,
        bucket,
        changeNo,
        ones,
      })),
  );
  const rows = yield* readRows(parts);
  const stored = parts.map(({ ones, ...place }) => {
    const packed = rows.get(rowText(place))?.packed ?? noEntries;
    const others = ones.filter((entry) => withoutEntry(packed, entry) === packed);
    return { ...place, packed: Buffer.concat([packed, packEntries(others)]) };
  });
  yield* storePartyRows(stored, rows);
}

export type PlacedEntry = PartyEntry & Pick<RecordKey, "organizationId">;

const noEntries = packEntries([]);

/** The entries of one organization in a bucket and a block. */
export interface StoredRow {
  readonly organizationId: string;
  readonly bucket: number;
  /** Any number of the block. */
  readonly changeNo: number;
  readonly packed: PackedEntries;
}

function* readRows(buckets: readonly BlockBucket[]): Statements<ReadonlyMap<string, StoredRow>> {
  const keys = new Map(buckets.map((place) => [rowText(place), toKey(place)]));
  const blocks = yield* all<BlockRow>(findRows, new Rows([...keys.values()], rowKey.length));
  const rows = blocks.map(
    ({ organization_id: organizationId, bucket, block_no, entries: bytes }) => {
      const changeNo = block_no * blockNumbers + 1;
      return { organizationId, bucket, changeNo, packed: toBuffer(bytes) };
    },
  );
  return new Map(rows.map((row) => [rowText(row), row]));
}

type BlockBucket = Pick<StoredRow, "organizationId" | "bucket" | "changeNo">;

/** The two rows that may have an entry. */
function bucketsOf(entry: PlacedEntry): readonly BlockBucket[] {
  return [entry, { ...entry, bucket: allBuckets }];
}

function toKey({ organizationId, bucket, changeNo }: BlockBucket) {
  return [organizationId, bucket, blockOf(changeNo)] as const;
}

function rowText(place: BlockBucket): string {
  return toKey(place).join(" ");
}

/** Stores rows, and removes those without entries. */
function* storePartyRows(
  rows: readonly StoredRow[],
  found: ReadonlyMap<string, StoredRow>,
): Statements<void> {
  const [empty, full] = [rows.filter(isEmpty), rows.filter((row) => !isEmpty(row))];
  const isFound = (row: StoredRow) => found.has(rowText(row));
  yield* run(replaceRows, toRows(full.filter(isFound)));
  yield* run(addRows, toRows(full.filter((row) => !isFound(row))));
  yield* run(removeRows, new Rows(empty.map(toKey), rowKey.length));
}

function toRows(rows: readonly StoredRow[]): Rows {
  const values = rows.map((row) => [...toKey(row), hashText(row.packed)]);
  return new Rows(values, rowKey.length + 1);
}

function isEmpty({ packed }: StoredRow): boolean {
  return packed.length === 0;
}

/** Removes the next rows of an organization; returns the key of the last one, undefined at the end. */
export function* removePartyPart(
  organizationId: string,
  [bucket = "", blockNo = ""]: readonly string[],
  rowsMax: number,
): Statements<readonly string[] | undefined> {
  const place = [Number(bucket), Number(blockNo)] as const;
  const removed = yield* all<RowKey>(removePart, organizationId, ...place, rowsMax);
  const last = removed.reduce<readonly [number, number]>(
    (most, row) =>
      row.bucket > most[0] || (row.bucket === most[0] && row.block_no > most[1])
        ? [row.bucket, row.block_no]
        : most,
    place,
  );
  return removed.length < rowsMax ? undefined : last.map(String);
}
