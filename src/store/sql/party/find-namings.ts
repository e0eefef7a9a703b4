// Finds the records that name persons and companies: by the index of parties as far as it reaches, and by a scan of the
// changes beyond. An entry of the index is a part of a hash, so each change that it leads to is read. Changes nothing.

import { isRestrictedId } from "../../../domain/deletion/restricted-set.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import type { RecordType } from "../../../domain/record-type.ts";
import type {
  FoundNamings,
  Naming,
  NamingPage,
  NamingQuery,
  NamingsQuery,
} from "../../interface/deletion.ts";
import {
  allBuckets,
  beginningOf,
  blockNumbers,
  blockOf,
  hashParty,
  readEntries,
} from "../../shared/party-entries.ts";
import { anyChange } from "../record/changes.ts";
import { findLatestArrival } from "../record/record.ts";
import { hashText, joinNamed } from "../statement/named.ts";
import { all, Rows, type Statements } from "../statement/statements.ts";
import { type PartyState, readPartyState } from "./entries.ts";
import { type NamingRow, partiesIn, searchedFor, textsOf } from "./named-parties.ts";

/**
 * How many blocks the first statement reads, and each later one, which reads four times as many as the one before: up
 * to 24 KiB of each, if a party is named by everything. Then few blocks have as many records as are wanted.
 */
const [blocksAtFirst, blocksAtOnce] = [16, 256];
const numbersAtOnce = 500;
/** A scan covers this many numbers. While there are more beyond the index, it is behind. */
const scannedMax = 2 * blockNumbers;

/** The rows that contain the bytes of an entry; they may also be those of two neighbours. */
const findRows = `
  --sqlite WITH named AS MATERIALIZED (
  --sqlite   SELECT value ->> 0 AS organization_id, value ->> 1 AS bucket, value ->> 2 AS rest,
  --sqlite     unhex(substr(value ->> 3, 3)) AS beginning FROM json_each($1))
  SELECT rest, block_no, entries
  FROM
    --sqlite named
    --postgres unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[]) AS named (organization_id, bucket, rest, beginning)
    ${joinNamed("party_block", ["organization_id", "bucket"])}
  WHERE block_no >= $5 AND block_no < $6
    --sqlite AND instr(entries, beginning) > 0
    --postgres AND position(beginning IN entries) > 0
  ORDER BY block_no`;

interface Row {
  readonly rest: number;
  readonly block_no: number;
  readonly entries: Uint8Array;
}

/** Finds the records of an organization that name any of these parties in any of their changes. */
export function* findNamings(query: NamingsQuery): Statements<FoundNamings> {
  const { organizationId, parties, after = 0 } = query;
  if (parties.length === 0) return { namings: [], ends: new Map(), isBehind: false };
  const state = yield* readPartyState();
  const { numbers, ends } = yield* searchIndex(query, state);
  const left = parties.filter((party) => !ends.has(party));
  const from = Math.max(after, state.indexedNo, 0);
  const isBehind = left.length > 0 && (yield* findLatestArrival()) - from > scannedMax;
  const to = isBehind ? from + scannedMax : anyChange;
  if (isBehind) for (const party of left) ends.set(party, to);
  const namings: Naming[] = [];
  for (const type of namingTypes) {
    const { resourceType } = type;
    const range = [organizationId, resourceType, from, to] as const;
    const rows = [
      ...(yield* readNumbered(type, organizationId, numbers)),
      ...(left.length > 0
        ? yield* all<NamingRow>(textsOf(type).late, ...range, searchedFor(left))
        : []),
    ];
    namings.push(...toNamings(type, rows, new Set(parties)));
  }
  return { namings, ends, isBehind };
}

/** The records that name one party, in the order in which the changes with its id arrived. */
export function* readNamings({ party, ...query }: NamingQuery): Statements<NamingPage> {
  const { namings, ends } = yield* findNamings({ ...query, parties: [party] });
  return { namings, last: ends.get(party) };
}

interface Candidates {
  readonly numbers: readonly number[];
  /** For each party that more changes may name: the last number. */
  readonly ends: Map<string, number>;
}

function* searchIndex(
  { organizationId, parties, after = 0, recordsMax }: NamingsQuery,
  { key, indexedNo }: PartyState,
): Statements<Candidates> {
  const open = new Map(parties.map((party) => [party, hashParty(key, organizationId, party)]));
  const numbers = new Map(parties.map((party) => [party, [] as number[]]));
  const ends = new Map<string, number>();
  // The entries of a restricted set are written when its records are moved, before the index gets there.
  const end = blockOf(isRestrictedId(organizationId) ? yield* findLatestArrival() : indexedNo) + 1;
  for (
    let [block, blocks] = [blockOf(after + 1), blocksAtFirst];
    block < end && open.size > 0;
    [block, blocks] = [block + blocks, Math.min(4 * blocks, blocksAtOnce)]
  ) {
    const values = [...open.values()].flatMap(({ bucket, ...one }) =>
      [bucket, allBuckets].map((any) => [
        organizationId,
        any,
        one.rest,
        hashText(beginningOf(one)),
      ]),
    );
    const upTo = Math.min(end, block + blocks);
    const rows = yield* all<Row>(findRows, new Rows(values, 4), block, upTo);
    const byRest = Map.groupBy(open, ([, { rest }]) => rest);
    for (const { rest, block_no, entries } of rows) {
      for (const entry of readEntries(entries, block_no)) {
        if (entry.rest !== rest) continue;
        for (const [party] of byRest.get(rest) ?? []) numbers.get(party)?.push(entry.changeNo);
      }
    }
    for (const party of open.keys()) {
      const some = numbers.get(party)?.filter((number) => number > after) ?? [];
      numbers.set(party, some.sort((one, other) => one - other).slice(0, recordsMax));
      if (some.length <= recordsMax) continue;
      open.delete(party);
      ends.set(party, some[recordsMax - 1] ?? after);
    }
  }
  return { numbers: [...new Set([...numbers.values()].flat())], ends };
}

export function* readNumbered(
  type: RecordType,
  organizationId: string,
  numbers: readonly number[],
): Statements<readonly NamingRow[]> {
  const rows: NamingRow[] = [];
  for (let at = 0; at < numbers.length; at += numbersAtOnce) {
    const some = numbers.slice(at, at + numbersAtOnce).map((number) => [number]);
    const values = [new Rows(some, 1), organizationId, type.resourceType] as const;
    rows.push(...(yield* all<NamingRow>(textsOf(type).numbered, ...values)));
  }
  return rows;
}

function toNamings(
  { resourceType }: RecordType,
  rows: readonly NamingRow[],
  wanted: ReadonlySet<string>,
): readonly Naming[] {
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const some = new Set(partiesIn(row)).intersection(wanted);
    const id = row.resource_id;
    if (some.size > 0) found.set(id, some.union(found.get(id) ?? new Set()));
  }
  return [...found].map(([resourceId, ids]) => ({ resourceType, resourceId, parties: [...ids] }));
}
