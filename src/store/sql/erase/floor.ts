// Retention floors: set, removed and listed, and the latest end of the floors of several records. The plans of deletions obey
// them. Erases nothing.

import { recordTypeByName } from "../../../domain/record-types.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { ClosedSince } from "../../../domain/retention/closed-since.ts";
import { FiledAt } from "../../../domain/retention/filed-at.ts";
import {
  floorEnd,
  type FloorOrigin,
  type RetentionFloor,
} from "../../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import type { Act } from "../../interface/act.ts";
import type { FloorChange, FloorOutcome } from "../../interface/retention.ts";
import { type FloorRow, toFloor } from "../../row/floor-row.ts";
import { auditAct } from "../trail/audit.ts";
import { lockOrganization } from "../access/organization.ts";
import { all, get, run, type Statements } from "../statement/statements.ts";

/** Deletions that one transaction makes due. */
export const wokenAtOnceMax = 5_000;
/** Records or changes that one statement reads. */
const rowsAtOnce = 500;

const findOfOrganization = `
  SELECT * FROM retention_floor WHERE organization_id = $1 ORDER BY resource_type`;

const findAll = `SELECT * FROM retention_floor ORDER BY organization_id, resource_type`;

const findOne = `
  SELECT * FROM retention_floor WHERE organization_id = $1 AND resource_type = $2`;

const storeFloor = `
  INSERT INTO retention_floor (organization_id, resource_type, keep_days, counted_from)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (organization_id, resource_type)
    DO UPDATE SET keep_days = excluded.keep_days, counted_from = excluded.counted_from`;

const removeFloor = `
  DELETE FROM retention_floor WHERE organization_id = $1 AND resource_type = $2`;

/**
 * Zero is in the past, so the worker tries again at once. One whose large plan is being written is left out: it is evaluated
 * with the new rules anyway. So is one that another process has locked, which waits for these rules.
 */
const wakeFloored = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE deletion_request_id IN (
    SELECT deletion_request_id FROM deletion
    --sqlite INDEXED BY deletion_floored
    WHERE organization_id = $1 AND deletion_request_id > $2 AND floor_until IS NOT NULL
      AND status IN ('pending', 'processing') AND (status = 'processing' OR claimant IS NULL)
    ORDER BY deletion_request_id LIMIT $3
    --postgres FOR UPDATE SKIP LOCKED
  )
  RETURNING deletion_request_id`;

/** CROSS JOIN makes SQLite begin with the ids. */
const findLastSeen = `
  SELECT resource_id, last_seen FROM
    --sqlite json_each($3) AS named CROSS JOIN record ON resource_id = named.value
    --postgres unnest($3::text[]) AS named (value) JOIN record ON resource_id = named.value
  WHERE organization_id = $1 AND resource_type = $2
    --citus AND record.resource_id = ANY ($3::text[])
  ORDER BY last_seen DESC, resource_id LIMIT 1`;

const findChanges = `
  SELECT change_no, payload
  FROM record JOIN change
  --sqlite USING (record_no)
  --postgres USING (organization_id, resource_type, resource_id)
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 AND change_no > $4
  ORDER BY change_no LIMIT $5`;

const findLater = `
  SELECT 1 FROM record JOIN change
  --sqlite USING (record_no)
  --postgres USING (organization_id, resource_type, resource_id)
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  ORDER BY change_no LIMIT 1 OFFSET $4`;

/** The deletions of restricted sets of an organization, which wait for its rules too. */
const wakeRestricted = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE deletion_request_id IN (
    SELECT deletion_request_id FROM deletion
    --sqlite INDEXED BY deletion_restricted
    WHERE restricted_of = $1 AND deletion_request_id > $2 AND status = 'pending' AND claimant IS NULL
    ORDER BY deletion_request_id LIMIT $3
    --postgres FOR UPDATE SKIP LOCKED
  )
  RETURNING deletion_request_id`;

export function* listFloors(
  organizationId: string | undefined,
): Statements<readonly RetentionFloor[]> {
  const rows =
    organizationId === undefined
      ? yield* all<FloorRow>(findAll)
      : yield* all<FloorRow>(findOfOrganization, organizationId);
  return rows.map(toFloor);
}

/** On PostgreSQL the caller has to lock the plans of the organization first. */
export function* setFloor(change: FloorChange, act: Act): Statements<FloorOutcome> {
  const { organizationId, rule } = change;
  const organization = yield* lockOrganization(organizationId);
  if (organization === undefined) return { result: "no_such_organization" };
  const { retainDays = Number.POSITIVE_INFINITY } = organization;
  if (rule !== undefined && rule.keepDays > retainDays) {
    return { result: "above_ceiling", retainDays };
  }
  return (yield* putFloor(change, act)) ? { result: "changed" } : { result: "unchanged" };
}

/** Whether or not it is above the ceiling. False if nothing had to be changed. */
export function* putFloor(change: FloorChange, act: Act, because?: string): Statements<boolean> {
  const { organizationId, resourceType, rule } = change;
  const row = yield* get<FloorRow>(findOne, organizationId, resourceType);
  if (row?.keep_days === rule?.keepDays && row?.counted_from === rule?.countedFrom) return false;
  if (rule === undefined) yield* run(removeFloor, organizationId, resourceType);
  else yield* run(storeFloor, organizationId, resourceType, rule.keepDays, rule.countedFrom);
  yield* wakeFrom(organizationId, "");
  const action = rule === undefined ? "retention.remove" : "retention.set";
  const detail = { resourceType, ...rule, because };
  yield* auditAct({ action, organizationId, subject: organizationId, detail }, act);
  return true;
}

/**
 * Makes deletions due that wait for a floor, after this one in the order of their ids; returns the last one, or undefined at the
 * end.
 */
export function* wakeFrom(organizationId: string, after: string): Statements<string | undefined> {
  return yield* wake(wakeFloored, organizationId, after);
}

/** The same for the deletions of restricted sets; the transaction has to see deletions of all organizations. */
export function* wakeSetsFrom(
  organizationId: string,
  after: string,
): Statements<string | undefined> {
  return yield* wake(wakeRestricted, organizationId, after);
}

function* wake(
  sql: typeof wakeFloored | typeof wakeRestricted,
  organizationId: string,
  after: string,
): Statements<string | undefined> {
  const values = [organizationId, after, wokenAtOnceMax] as const;
  const rows = yield* all<{ deletion_request_id: string }>(sql, ...values);
  if (rows.length < wokenAtOnceMax) return undefined;
  return rows.map(({ deletion_request_id: id }) => id).reduce((one, id) => (id > one ? id : one));
}

/** The floor of a record, and when it ends. */
export interface RecordFloor extends RetentionFloor {
  readonly resourceId: string;
  readonly until: number;
}

export interface FloorSearch {
  readonly floors: readonly RetentionFloor[];
  /** Records of the organization; those without a floor are skipped. */
  readonly records: readonly Omit<RecordKey, "organizationId">[];
  /** Floors without a value to count from are counted from this time. */
  readonly requestedAt: number;
}

/** The latest end of the floors of these records; undefined if none of them has a floor. */
export function* findLatestFloor(search: FloorSearch): Statements<RecordFloor | undefined> {
  let latest: RecordFloor | undefined;
  for (const floor of search.floors) {
    const ids = idsUnder(floor, search.records);
    const found =
      floor.countedFrom === "last_seen"
        ? yield* findLastOf(floor, ids, search.requestedAt)
        : yield* findLatestByHistory(floor, ids, search.requestedAt);
    if (found !== undefined && found.until > (latest?.until ?? 0)) latest = found;
  }
  return latest;
}

/** The records of a floor. */
export function idsUnder(
  { resourceType }: RetentionFloor,
  records: FloorSearch["records"],
): readonly string[] {
  return records
    .filter((record) => record.resourceType === resourceType)
    .map(({ resourceId }) => resourceId);
}

/** Whether the floor of one of these records can only be evaluated by reading a long history. */
export function* needsLongHistory({
  floors,
  records,
}: Omit<FloorSearch, "requestedAt">): Statements<boolean> {
  for (const floor of floors) {
    if (floor.countedFrom === "last_seen") continue;
    const { organizationId, resourceType } = floor;
    for (const id of idsUnder(floor, records)) {
      const key = [organizationId, resourceType, id] as const;
      if ((yield* get(findLater, ...key, rowsAtOnce)) !== undefined) return true;
    }
  }
  return false;
}

function* findLastOf(
  floor: RetentionFloor,
  ids: readonly string[],
  requestedAt: number,
): Statements<RecordFloor | undefined> {
  const { organizationId, resourceType } = floor;
  let last: { readonly resource_id: string; readonly last_seen: string } | undefined;
  for (let at = 0; at < ids.length; at += rowsAtOnce) {
    const part = ids.slice(at, at + rowsAtOnce);
    const found = yield* get<typeof last & {}>(findLastSeen, organizationId, resourceType, part);
    if (found !== undefined && found.last_seen > (last?.last_seen ?? "")) last = found;
  }
  if (last === undefined) return undefined;
  const { resource_id: resourceId, last_seen: lastSeen } = last;
  return { ...floor, resourceId, until: floorEnd(floor, lastSeen, requestedAt) };
}

function* findLatestByHistory(
  floor: RetentionFloor,
  ids: readonly string[],
  requestedAt: number,
): Statements<RecordFloor | undefined> {
  let latest: RecordFloor | undefined;
  for (const resourceId of ids) {
    const until = yield* findEndByHistory(floor, resourceId, requestedAt);
    if (until !== undefined && until > (latest?.until ?? 0)) {
      latest = { ...floor, resourceId, until };
    }
  }
  return latest;
}

/** The end of a floor that counts from what the changes of a record state; undefined if there is no such record. */
export function* findEndByHistory(
  floor: RetentionFloor,
  resourceId: string,
  requestedAt: number,
): Statements<number | undefined> {
  const found = yield* findOriginIn({ ...floor, resourceId }, floor.countedFrom);
  return found === undefined ? undefined : floorEnd(floor, found.from, requestedAt);
}

interface ChangeRow {
  readonly change_no: number;
  readonly payload: string;
}

/** Undefined if there is no such record. */
function* findOriginIn(
  { organizationId, resourceType, resourceId }: RecordKey,
  countedFrom: FloorOrigin,
): Statements<{ readonly from: NormalisedTimestamp | undefined } | undefined> {
  const origin =
    countedFrom === "report_filed_at"
      ? new FiledAt()
      : new ClosedSince(recordTypeByName(resourceType) ?? {});
  let after = 0;
  for (;;) {
    const key = [organizationId, resourceType, resourceId] as const;
    const rows = yield* all<ChangeRow>(findChanges, ...key, after, rowsAtOnce);
    const last = rows.at(-1);
    if (last === undefined && after === 0) return undefined;
    const changes = rows.map(({ change_no: changeNo, payload }) => ({ changeNo, payload }));
    const added = origin.addAll(changes);
    if (last === undefined || added < rowsAtOnce) return { from: origin.end() };
    after = last.change_no;
  }
}
