// Finds the records that name parties: page by page for a scan of all of them, by arrival for those that came since, and
// those under a hold. Changes nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { namingTypes } from "../../../domain/deletion/party.ts";
import type { RecordType } from "../../../domain/record-type.ts";
import type { NamingPage, NamingQuery, Place } from "../../interface/naming.ts";
import { type NamingRow, toNamings } from "../../row/naming-row.ts";
import { all, get, type Statements } from "../statement/statements.ts";

const findPageEnd = `
  SELECT resource_id AS id FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT 1 OFFSET $4`;

const findHeld = `
  SELECT DISTINCT resource_id AS id FROM hold
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT $4`;

/** Records under a hold that are searched with one statement. */
const heldAtOnce = 500;

/** The records of a page that name any of these parties. */
export function* readNamingPage(query: NamingQuery): Statements<NamingPage> {
  const { organizationId, parties, after, recordsMax } = query;
  const at = namingTypes.findIndex(({ resourceType }) => resourceType === after?.resourceType);
  const index = Math.max(0, at);
  const type = namingTypes[index];
  if (type === undefined) return { namings: [], last: undefined };
  const { resourceType } = type;
  const place = [organizationId, resourceType, after?.resourceId ?? ""] as const;
  const end = yield* get<{ id: string }>(findPageEnd, ...place, recordsMax - 1);
  const { page, lastPage } = textsOf(type);
  const searched = searchedFor(parties);
  const rows =
    end === undefined
      ? yield* all<NamingRow>(lastPage, ...place, searched)
      : yield* all<NamingRow>(page, ...place, searched, end.id);
  const namings = toNamings(type, rows, new Set(parties));
  if (end !== undefined) return { namings, last: { resourceType, resourceId: end.id } };
  const next = namingTypes[index + 1];
  return { namings, last: next && { resourceType: next.resourceType, resourceId: "" } };
}

/** Which records name the party in a change that arrived after `from` and not after `to`. */
export function* findLateNamings(
  { organizationId, resourceId: party }: Pick<Deletion, "organizationId" | "resourceId">,
  { from, to }: { readonly from: number; readonly to: number },
): Statements<readonly Place[]> {
  let places: readonly Place[] = [];
  for (const type of namingTypes) {
    const { resourceType } = type;
    const range = [organizationId, resourceType, from, to] as const;
    const needles = needlesFor(type, party);
    const rows = yield* all<{ id: string }>(textsOf(type).late, ...range, ...needles);
    places = [...places, ...rows.map(({ id }) => ({ resourceType, resourceId: id }))];
  }
  return places;
}

/** A record under a hold that names the party. It has to stay as it is, and so the deletion has to wait. */
export function* findHeldNaming(
  organizationId: string,
  party: string,
): Statements<Place | undefined> {
  for (const type of namingTypes) {
    const { resourceType } = type;
    const needles = needlesFor(type, party);
    let last = "";
    for (;;) {
      const key = [organizationId, resourceType] as const;
      const held = yield* all<{ id: string }>(findHeld, ...key, last, heldAtOnce);
      const ids = held.map(({ id }) => id);
      const found = yield* get<{ id: string }>(textsOf(type).among, ...key, ids, ...needles);
      if (found !== undefined) return { resourceType, resourceId: found.id };
      if (ids.length < heldAtOnce) break;
      last = ids.at(-1) ?? "";
    }
  }
  return undefined;
}

/** Payloads are canonical JSON, and a quote within a text is escaped: these occur only where a field has this value. */
function needlesFor({ partyFields }: RecordType, party: string): readonly string[] {
  return partyFields.map((field) => `"${field}":${JSON.stringify(party)}`);
}

/**
 * What the statement of a page compares with: SQLite the ids, PostgreSQL their JSON up to the first quote in it. So the
 * statement may find too many, but never too few.
 */
function searchedFor(parties: readonly string[]): readonly string[] {
  const beginnings = parties.map((party) => JSON.stringify(party).split('"')[1] ?? "");
  return [...new Set([...parties, ...beginnings])];
}

interface Texts {
  readonly page: string;
  readonly lastPage: string;
  readonly late: string;
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

function makeTexts(type: RecordType): Texts {
  const { partyFields } = type;
  const onSqlite = partyFields.map(
    (field) => `payload ->> '${field}' IN (SELECT value FROM json_each($4))`,
  );
  const onPostgres = partyFields.map(
    (field) => `split_part(split_part(payload, '"${field}":"', 2), '"', 1) = ANY ($4::text[])`,
  );
  const lastPage = `
    SELECT resource_id AS id, payload
    --sqlite FROM record CROSS JOIN change USING (record_no)
    --postgres FROM change
    WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
      --sqlite AND (${onSqlite.join(" OR ")})
      --postgres AND (${onPostgres.join(" OR ")})
    `;
  const among = `
    SELECT resource_id AS id
    --sqlite FROM record CROSS JOIN change USING (record_no)
    --postgres FROM change
    WHERE organization_id = $1 AND resource_type = $2
      --sqlite AND resource_id IN (SELECT value FROM json_each($3))
      --sqlite AND (${containsOnSqlite(type, 4)})
      --postgres AND resource_id = ANY ($3::text[])
      --postgres AND (${containsOnPostgres(type, 4)})
    LIMIT 1`;
  return { lastPage, page: `${lastPage} AND resource_id <= $5`, among, late: makeLate(type) };
}

/**
 * Changes are indexed by arrival: on SQLite by the key of a record's first change, and an index of the others that arrived
 * while a deletion of the organization was open.
 */
function makeLate(type: RecordType): string {
  return `
    --sqlite WITH late AS (
    --sqlite   SELECT record_no, payload FROM change
    --sqlite   WHERE record_no > $3 AND record_no <= $4 AND (${containsOnSqlite(type, 5)})
    --sqlite   UNION ALL
    --sqlite   SELECT record_no, payload FROM change INDEXED BY change_later
    --sqlite   WHERE digest IS NOT NULL AND change_no > $3 AND change_no <= $4
    --sqlite     AND (${containsOnSqlite(type, 5)}))
    --sqlite SELECT DISTINCT resource_id AS id
    --sqlite FROM late CROSS JOIN record
    --sqlite   ON organization_id = $1 AND resource_type = $2
    --sqlite     AND resource_id = payload ->> '${type.idField}' AND record.record_no = late.record_no
    --postgres SELECT DISTINCT resource_id AS id FROM change
    --postgres WHERE organization_id = $1 AND resource_type = $2 AND change_no > $3 AND change_no <= $4
    --postgres   AND (${containsOnPostgres(type, 5)})
    `;
}

/** That the payload contains any of the needles, of which the first has this number. */
function containsOnSqlite({ partyFields }: RecordType, first: number): string {
  return partyFields.map((_, index) => `instr(payload, $${first + index}) > 0`).join(" OR ");
}

function containsOnPostgres({ partyFields }: RecordType, first: number): string {
  return partyFields.map((_, index) => `strpos(payload, $${first + index}) > 0`).join(" OR ");
}
