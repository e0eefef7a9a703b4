// Legal holds: placed, released and read. A record may carry several. A hold only says that a record is to stay; cascade.ts
// obeys it.

import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record-write.ts";
import { nameForTrail } from "../audit-row.ts";
import { describeHold, type HoldRow, toHold } from "../hold-row.ts";
import type { HoldFilter, HoldOutcome, NewHold } from "../holds.ts";
import type { Act } from "../store.ts";
import { appendAudit } from "../sql/audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { readRecordNo } from "./record.ts";

const findById = `SELECT * FROM hold WHERE hold_id = ?`;

const findOfRecord = `
  SELECT * FROM hold WHERE organization_id = ? AND resource_type = ? AND resource_id = ?
  ORDER BY placed_at, hold_id LIMIT ?`;

const insertHold = `
  INSERT INTO hold
    (hold_id, organization_id, resource_type, resource_id, reason, owner, review_on,
     placed_at, placed_by)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const removeHold = `DELETE FROM hold WHERE hold_id = ?`;

const findTarget = `
  SELECT 1 FROM deletion_target
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ? LIMIT 1`;

const findAny = `SELECT 1 FROM hold WHERE organization_id = ? LIMIT 1`;

const findPage = `
  SELECT * FROM hold
  WHERE hold_id > ?1 AND (?2 IS NULL OR organization_id = ?2)
    AND (?3 IS NULL OR resource_type = ?3) AND (?4 IS NULL OR review_on < ?4)
  ORDER BY hold_id LIMIT ?5`;

/** Zero is long ago, so the worker looks again at once. */
const wakeHeld = `
  UPDATE deletion INDEXED BY deletion_open SET next_attempt_at = 0
  WHERE organization_id = ? AND held = 1 AND status IN ('pending', 'processing')`;

export function placeHold(
  { connection }: Group,
  { hold: wanted, act }: { readonly hold: NewHold; readonly act: Act },
): HoldOutcome {
  const { organizationId, resourceType, resourceId } = wanted;
  if (connection.get(findTarget, organizationId, resourceType, resourceId) !== undefined) {
    return "being_erased";
  }
  if (readRecordNo(connection, wanted) === undefined) return "no_such_record";
  if (findHolds(connection, wanted).length >= limits.holdsOfRecordMax) return "too_many_holds";
  const hold = { ...wanted, placedAt: act.now, placedBy: act.actor };
  addHold(connection, { hold, act });
  return hold;
}

/** Whether or not the record is there. Does nothing if the hold is. */
export function addHold(
  connection: Connection,
  { hold, act, because }: { readonly hold: Hold; readonly act: Act; readonly because?: string },
): void {
  const added = connection.run(
    insertHold,
    hold.holdId,
    hold.organizationId,
    hold.resourceType,
    hold.resourceId,
    hold.reason,
    hold.owner ?? null,
    hold.reviewOn ?? null,
    hold.placedAt,
    hold.placedBy,
  );
  if (added === 0) return;
  const detail = describeHold(hold, because);
  note(connection, { key: hold, action: "hold.place", detail, act });
}

export function releaseHold(
  group: Group,
  { holdId, act }: { readonly holdId: string; readonly act: Act },
): Hold | undefined {
  return dropHold(group.connection, { holdId, act });
}

export function dropHold(
  connection: Connection,
  {
    holdId,
    act,
    because,
  }: { readonly holdId: string; readonly act: Act; readonly because?: string },
): Hold | undefined {
  const row = connection.get<HoldRow>(findById, holdId);
  if (row === undefined) return undefined;
  connection.run(removeHold, holdId);
  connection.run(wakeHeld, row.organization_id);
  const hold = toHold(row);
  const detail = because === undefined ? { holdId } : { holdId, because };
  note(connection, { key: hold, action: "hold.release", detail, act });
  return hold;
}

/** Those of one record, oldest first. */
export function findHolds(connection: Connection, key: RecordKey): readonly Hold[] {
  const { organizationId, resourceType, resourceId } = key;
  return connection
    .all<HoldRow>(findOfRecord, organizationId, resourceType, resourceId, limits.holdsOfRecordMax)
    .map(toHold);
}

export function findHold(connection: Connection, holdId: string): Hold | undefined {
  const row = connection.get<HoldRow>(findById, holdId);
  return row === undefined ? undefined : toHold(row);
}

/** A hold on the first of these records that is held, if any. */
export function findFirstHeld(
  connection: Connection,
  organizationId: string,
  records: Iterable<Pick<RecordKey, "resourceType" | "resourceId">>,
): Hold | undefined {
  if (connection.get(findAny, organizationId) === undefined) return undefined;
  for (const record of records) {
    const [hold] = findHolds(connection, { organizationId, ...record });
    if (hold !== undefined) return hold;
  }
  return undefined;
}

export function listHolds(connection: Connection, filter: HoldFilter): readonly Hold[] {
  const { organizationId, resourceType, reviewBefore, after, limit } = filter;
  return connection
    .all<HoldRow>(
      findPage,
      after ?? "",
      organizationId ?? null,
      resourceType ?? null,
      reviewBefore ?? null,
      limit,
    )
    .map(toHold);
}

function note(
  connection: Connection,
  event: {
    readonly key: RecordKey;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): void {
  const { key, action, detail, act } = event;
  connection.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: nameForTrail(key),
    detail,
  });
}
