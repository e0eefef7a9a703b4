// Finds the records that name parties: page by page for a scan of all of them, by arrival for later ones, and those
// under a hold. A page ends after a number of changes, also within a record. Changes nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type NodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import type { RecordType, ResourceType } from "../../../domain/record-type.ts";
import type { Naming, NamingPage, NamingQuery, PageEnd, Place } from "../../interface/naming.ts";
import { anyChange, changesBetween, inOrder } from "../record/changes.ts";
import { comparedChanges } from "../../shared/payload-digest.ts";
import { all, type Statements } from "../statement/statements.ts";

const ofType = `
  --sqlite FROM record CROSS JOIN change USING (record_no)
  --postgres FROM change
  WHERE organization_id = $1 AND resource_type = $2`;

/** The last change of a page, and the one after it. */
const findPageEnd = `
  SELECT resource_id AS id, change_no ${ofType} AND resource_id > $3
  ORDER BY resource_id, change_no LIMIT 2 OFFSET $4`;

const findEndWithin = `
  SELECT resource_id AS id, change_no ${changesBetween} ${inOrder} LIMIT 2 OFFSET $6`;

const findHeld = `
  SELECT DISTINCT resource_id AS id FROM hold
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
    AND (ends_on IS NULL OR ends_on >= $5)
  ORDER BY resource_id LIMIT $4`;

/** How many records under a hold one statement searches. */
const heldAtOnce = 500;

interface EndRow {
  readonly id: string;
  readonly change_no: number;
}

/**
 * Reads the next changes, in the order of type, id and arrival, and which of their records name any of these persons or
 * companies.
 */
export function* readNamingPage(query: NamingQuery): Statements<NamingPage> {
  const { organizationId, parties, after, changesMax } = query;
  const at = namingTypes.findIndex(({ resourceType }) => resourceType === after?.resourceType);
  const index = Math.max(0, at);
  const type = namingTypes[index];
  if (type === undefined) return { namings: [], last: undefined };
  const { resourceType } = type;
  const place = [organizationId, resourceType, after?.resourceId ?? ""] as const;
  const searched = searchedFor(parties);
  if (after?.changeNo !== undefined) return yield* readWithin(type, after, query);
  const [end, beyond] = yield* all<EndRow>(findPageEnd, ...place, changesMax - 1);
  const { before, within, lastPage } = textsOf(type);
  const wanted = new Set(parties);
  if (end !== undefined) {
    const upTo = [organizationId, resourceType, end.id, 0, end.change_no, searched] as const;
    const rows = [
      yield* all<NamingRow>(before, ...place, searched, end.id),
      yield* all<NamingRow>(within, ...upTo),
    ].flat();
    const namings = toNamings(type, rows, wanted);
    return { namings, last: endOf(resourceType, [end, beyond], namings) };
  }
  const rows = yield* all<NamingRow>(lastPage, ...place, searched);
  const namings = toNamings(type, rows, wanted);
  const next = namingTypes[index + 1];
  return { namings, last: next && { resourceType: next.resourceType, resourceId: "" } };
}

/** Reads the next changes of the record in which the previous page has ended. */
function* readWithin(
  type: RecordType,
  { resourceType, resourceId, changeNo = 0, named = [] }: PageEnd,
  { organizationId, parties, changesMax }: NamingQuery,
): Statements<NamingPage> {
  const key = [organizationId, resourceType, resourceId] as const;
  const from = [...key, changeNo] as const;
  const [end, beyond] = yield* all<EndRow>(findEndWithin, ...from, anyChange, changesMax - 1);
  const upTo = [...from, end?.change_no ?? anyChange, searchedFor(parties)] as const;
  const rows = yield* all<NamingRow>(textsOf(type).within, ...upTo);
  const wanted = new Set(parties).difference(new Set(named));
  const namings = toNamings(type, rows, wanted);
  const known = [...namings, { resourceType, resourceId, parties: named }];
  const last =
    end === undefined ? { resourceType, resourceId } : endOf(resourceType, [end, beyond], known);
  return { namings, last };
}

/** The end of a page within a record says what the record was found to name, so that no later page repeats it. */
function endOf(
  resourceType: ResourceType,
  [end, beyond]: readonly [EndRow, EndRow | undefined],
  namings: readonly Naming[],
): PageEnd {
  const { id: resourceId, change_no: changeNo } = end;
  if (beyond?.id !== resourceId) return { resourceType, resourceId };
  const own = namings.filter((one) => one.resourceId === resourceId);
  return { resourceType, resourceId, changeNo, named: own.flatMap((one) => one.parties) };
}

/** Finds the records of these organizations that name one of the parties in a change that arrived in this range. */
export function* findLateNamings(
  parties: readonly Party[],
  { from, to }: ArrivalRange,
): Statements<readonly OwnedNaming[]> {
  const byOrganization = Map.groupBy(parties, ({ organizationId }) => organizationId);
  const searched = searchedFor(parties.map(({ resourceId }) => resourceId));
  const namings: OwnedNaming[] = [];
  for (const type of namingTypes) {
    const owners = [...byOrganization.keys()];
    const range = [owners, type.resourceType, from, to] as const;
    const rows = yield* all<OwnedRow>(textsOf(type).late, ...range, searched);
    for (const [organizationId, some] of Map.groupBy(rows, (row) => row.organization_id)) {
      const wanted = byOrganization.get(organizationId)?.map(({ resourceId }) => resourceId);
      const found = toNamings(type, some, new Set(wanted));
      namings.push(...found.map((one) => ({ ...one, organizationId })));
    }
  }
  return namings;
}

/** Changes with a higher arrival number than `from`, up to `to`. */
export interface ArrivalRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the records that were changed in this range and name one of the parties in any of their changes. The caller
 * bounds the range.
 */
export function* findNamingsChanged(
  { organizationId, parties }: Pick<NamingQuery, "organizationId" | "parties">,
  { from, to }: ArrivalRange,
): Statements<readonly Naming[]> {
  const namings: Naming[] = [];
  for (const type of namingTypes) {
    const { resourceType } = type;
    const { changed, among } = textsOf(type);
    const rows = yield* all<{ id: string }>(changed, [organizationId], resourceType, from, to);
    if (rows.length === 0) continue;
    const ids = [...new Set(rows.map(({ id }) => id))];
    const values = [organizationId, resourceType, ids, searchedFor(parties)] as const;
    namings.push(...toNamings(type, yield* all<NamingRow>(among, ...values), new Set(parties)));
  }
  return namings;
}

type Party = Pick<Deletion, "organizationId" | "resourceId">;

type OwnedNaming = Naming & Pick<Deletion, "organizationId">;

interface OwnedRow extends NamingRow {
  readonly organization_id: string;
}

/**
 * Finds for each party a record under a hold that names it. That record must not change, so the deletion has to wait.
 */
export function* findHeldNamings(
  organizationId: string,
  nodes: readonly NodeKey[],
  heldOn = "",
): Statements<ReadonlyMap<NodeKey, Place>> {
  const places = new Map<string, Place>();
  const parties = nodes.map((node) => parseNodeKey(node).id);
  if (parties.length === 0) return new Map();
  for (const type of namingTypes) {
    const { resourceType } = type;
    let last = "";
    for (;;) {
      const key = [organizationId, resourceType] as const;
      const held = yield* all<{ id: string }>(findHeld, ...key, last, heldAtOnce, heldOn);
      const ids = held.map(({ id }) => id);
      const values = [...key, ids, searchedFor(parties)] as const;
      const rows = yield* all<NamingRow>(textsOf(type).among, ...values);
      const namings = toNamings(type, rows, new Set(parties));
      for (const one of namings)
        for (const party of one.parties) if (!places.has(party)) places.set(party, one);
      if (ids.length < heldAtOnce) break;
      last = ids.at(-1) ?? "";
    }
  }
  return new Map(
    nodes.flatMap((node) => {
      const place = places.get(parseNodeKey(node).id);
      return place === undefined ? [] : [[node, place]];
    }),
  );
}

/**
 * Returns the texts to search for: on SQLite the ids, on PostgreSQL their JSON up to its first quote. So a statement
 * may find too many records, but never too few.
 */
function searchedFor(parties: readonly string[]): readonly string[] {
  const beginnings = parties.map((party) => JSON.stringify(party).split('"')[1] ?? "");
  return [...new Set([...parties, ...beginnings])];
}

interface Texts {
  readonly before: string;
  readonly within: string;
  readonly lastPage: string;
  readonly late: string;
  readonly changed: string;
  readonly among: string;
}

/** One set of statements for each type that names parties. */
const texts: ReadonlyMap<RecordType, Texts> = new Map(
  namingTypes.map((type) => [type, makeTexts(type)]),
);

function textsOf(type: RecordType): Texts {
  const made = texts.get(type);
  if (made === undefined) throw new TypeError(`${type.resourceType} names no parties`);
  return made;
}

/** No statement returns payloads: a page of large ones would be parsed in the thread that serves. */
function makeTexts(type: RecordType): Texts {
  const select = `
    SELECT resource_id AS id, ${selectParties(type, "$4")}
    --sqlite FROM record CROSS JOIN change USING (record_no)
    --postgres FROM change
    WHERE organization_id = $1 AND resource_type = $2 AND ${namesAny(type, "$4")}
    `;
  const lastPage = `${select} AND resource_id > $3`;
  const before = `${lastPage} AND resource_id < $5`;
  const within = `
    SELECT resource_id AS id, ${selectParties(type, "$6")} ${changesBetween} AND ${namesAny(type, "$6")}`;
  const late = makeLate(type, { named: selectParties(type, "$5"), where: namesAny(type, "$5") });
  const changed = makeLate(type, { named: "NULL AS parties", where: "true" });
  return { before, within, lastPage, among: makeAmong(type), late, changed };
}

/**
 * On SQLite, where writers wait for it, this reads only the first changes of each record; an index has the parties that
 * the later ones name (../schema.sql).
 */
function makeAmong(type: RecordType): string {
  const later = type.partyFields.map(
    (field) => `
    --sqlite SELECT resource_id, json_array(party.value) FROM some CROSS JOIN json_each($4) AS party
    --sqlite WHERE long AND EXISTS (
    --sqlite   SELECT 1 FROM change INDEXED BY change_${field}
    --sqlite   WHERE change.record_no = some.record_no AND digest IS NOT NULL
    --sqlite     AND payload ->> '${field}' = party.value)`,
  );
  return `
    --sqlite WITH some AS MATERIALIZED (
    --sqlite   SELECT record_no, resource_id, EXISTS (
    --sqlite     SELECT 1 FROM change WHERE change.record_no = record.record_no
    --sqlite     LIMIT 1 OFFSET ${comparedChanges}) AS long
    --sqlite   FROM record WHERE organization_id = $1 AND resource_type = $2
    --sqlite     AND resource_id IN (SELECT value FROM json_each($3)))
    SELECT DISTINCT resource_id AS id, ${selectParties(type, "$4")}
    --sqlite FROM some CROSS JOIN change USING (record_no) WHERE change_no IN (
    --sqlite   SELECT change_no FROM change AS one WHERE one.record_no = some.record_no
    --sqlite   ORDER BY change_no LIMIT ${comparedChanges})
    --postgres FROM change
    --postgres WHERE organization_id = $1 AND resource_type = $2 AND resource_id = ANY ($3::text[])
      AND ${namesAny(type, "$4")}
    ${later.map((one) => `--sqlite UNION ALL ${one}`).join("\n    ")}
    `;
}

/** Changes are indexed by arrival: on SQLite by the key of a record's first change, and an index of the others. */
function makeLate(
  type: RecordType,
  { named, where }: { readonly named: string; readonly where: string },
): string {
  return `
    --sqlite WITH late AS (
    --sqlite   SELECT record_no, payload FROM change
    --sqlite   WHERE record_no > $3 AND record_no <= $4
    --sqlite   UNION ALL
    --sqlite   SELECT record_no, payload FROM change INDEXED BY change_later
    --sqlite   WHERE change_no > record_no AND change_no > $3 AND change_no <= $4)
    SELECT organization_id, resource_id AS id, ${named}
    --sqlite FROM late CROSS JOIN json_each($1) AS owner CROSS JOIN record
    --sqlite   ON organization_id = owner.value AND resource_type = $2
    --sqlite     AND resource_id = payload ->> '${type.idField}' AND record.record_no = late.record_no
    --sqlite WHERE
    --postgres FROM change
    --postgres WHERE organization_id = ANY ($1::text[]) AND resource_type = $2
    --postgres   AND change_no > $3 AND change_no <= $4 AND
      ${where}
    `;
}

/** The JSON of a field up to its first quote or, if that is escaped, only a part of it. */
function beginningOf(field: string): string {
  return `split_part(split_part(payload, '"${field}":"', 2), '"', 1)`;
}

/** A condition that is true if a field of a payload may contain one of the texts in a value of the statement. */
function names(field: string, value: string): { onSqlite: string; onPostgres: string } {
  return {
    onSqlite: `payload ->> '${field}' IN (SELECT value FROM json_each(${value}))`,
    onPostgres: `${beginningOf(field)} = ANY (${value}::text[])`,
  };
}

function namesAny({ partyFields }: RecordType, value: string): string {
  const any = partyFields.map((field) => names(field, value));
  return `(
      --sqlite ${any.map(({ onSqlite }) => onSqlite).join(" OR ")}
      --postgres ${any.map(({ onPostgres }) => onPostgres).join(" OR ")}
      )`;
}

/** Those parties that a payload names and that may be among the texts in a value of the statement, as a JSON list. */
function selectParties({ partyFields }: RecordType, value: string): string {
  const each = partyFields.map((field) => {
    const { onSqlite, onPostgres } = names(field, value);
    const text = beginningOf(field);
    const whole = `substring(payload FROM '"${field}":("(?:[^"\\\\]|\\\\.)*")')`;
    const json = `CASE strpos(${text}, '\\') WHEN 0 THEN '"' || ${text} || '"' ELSE ${whole} END`;
    return {
      onSqlite: `CASE WHEN ${onSqlite} THEN payload ->> '${field}' END`,
      onPostgres: `CASE WHEN ${onPostgres} THEN ${json} END`,
    };
  });
  return `
      --sqlite json_array(${each.map(({ onSqlite }) => onSqlite).join(", ")})
      --postgres '[' || concat_ws(',', ${each.map(({ onPostgres }) => onPostgres).join(", ")}) || ']'
      AS parties`;
}

/** A record, and the parties that a change of it may name, as a JSON list. */
interface NamingRow {
  readonly id: string;
  readonly parties: string;
}

/** A statement may have found too much, so the ids decide. */
function toNamings(
  { resourceType }: RecordType,
  rows: readonly NamingRow[],
  wanted: ReadonlySet<string>,
): readonly Naming[] {
  const found = new Map<string, Set<string>>();
  for (const { id, parties: list } of rows) {
    const named = (JSON.parse(list) as (string | null)[]).filter((one) => one !== null);
    const some = new Set(named).intersection(wanted);
    if (some.size > 0) found.set(id, some.union(found.get(id) ?? new Set()));
  }
  return [...found].map(([resourceId, ids]) => ({ resourceType, resourceId, parties: [...ids] }));
}
