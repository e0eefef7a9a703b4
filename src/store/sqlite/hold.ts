// Legal holds: placed, released and read. A hold only says that a record is to stay; cascade.ts obeys it.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record-write.ts";
import type { Act, HoldOutcome } from "../store.ts";
import { nameForTrail } from "../audit-row.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { readRecordNo } from "./record.ts";

interface HoldRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly reason: string;
  readonly placed_at: number;
  readonly placed_by: string;
}

const findOne = `
  SELECT * FROM hold WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const insertHold = `
  INSERT INTO hold (organization_id, resource_type, resource_id, reason, placed_at, placed_by)
  VALUES (?, ?, ?, ?, ?, ?)`;

const removeHold = `
  DELETE FROM hold WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const findTarget = `
  SELECT 1 FROM deletion_target
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ? LIMIT 1`;

const findAny = `SELECT 1 FROM hold WHERE organization_id = ? LIMIT 1`;

const findAll = `SELECT * FROM hold ORDER BY placed_at, organization_id, resource_type, resource_id`;

const findOfOrganization = `
  SELECT * FROM hold WHERE organization_id = ? ORDER BY placed_at, resource_type, resource_id`;

/** Zero is long ago, so the worker looks again at once. */
const wakeHeld = `
  UPDATE deletion INDEXED BY deletion_open SET next_attempt_at = 0
  WHERE organization_id = ? AND held = 1 AND status IN ('pending', 'processing')`;

/** A record that is held already stays held as it was. */
export function placeHold(
  { connection }: Group,
  { key, reason, act }: { readonly key: RecordKey; readonly reason: string; readonly act: Act },
): HoldOutcome {
  const { organizationId, resourceType, resourceId } = key;
  if (connection.get(findTarget, organizationId, resourceType, resourceId) !== undefined) {
    return "being_erased";
  }
  if (readRecordNo(connection, key) === undefined) return "no_such_record";
  const known = findHold(connection, key);
  if (known !== undefined) return known;
  const hold = { ...key, reason, placedAt: act.now, placedBy: act.actor };
  connection.run(insertHold, organizationId, resourceType, resourceId, reason, act.now, act.actor);
  note(connection, { key, action: "hold.place", detail: { reason }, act });
  return { ...hold };
}

export function releaseHold(
  { connection }: Group,
  { key, act }: { readonly key: RecordKey; readonly act: Act },
): Hold | undefined {
  const hold = findHold(connection, key);
  if (hold === undefined) return undefined;
  connection.run(removeHold, key.organizationId, key.resourceType, key.resourceId);
  connection.run(wakeHeld, key.organizationId);
  note(connection, { key, action: "hold.release", detail: {}, act });
  return hold;
}

export function findHold(connection: Connection, key: RecordKey): Hold | undefined {
  const { organizationId, resourceType, resourceId } = key;
  const row = connection.get<HoldRow>(findOne, organizationId, resourceType, resourceId);
  return row === undefined ? undefined : toHold(row);
}

/** The first of these records that is held, if any. */
export function findFirstHeld(
  connection: Connection,
  organizationId: string,
  records: Iterable<Pick<RecordKey, "resourceType" | "resourceId">>,
): Hold | undefined {
  if (connection.get(findAny, organizationId) === undefined) return undefined;
  for (const record of records) {
    const hold = findHold(connection, { organizationId, ...record });
    if (hold !== undefined) return hold;
  }
  return undefined;
}

export function listHolds(
  connection: Connection,
  organizationId: string | undefined,
): readonly Hold[] {
  const rows =
    organizationId === undefined
      ? connection.all<HoldRow>(findAll)
      : connection.all<HoldRow>(findOfOrganization, organizationId);
  return rows.map(toHold);
}

function toHold(row: HoldRow): Hold {
  return {
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    reason: row.reason,
    placedAt: row.placed_at,
    placedBy: row.placed_by,
  };
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
  appendAudit(connection, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: nameForTrail(key),
    detail,
  });
}
