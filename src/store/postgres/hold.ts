// Legal holds: placed, released and read. A record may carry several. A hold only says that a record is to stay; plans obey
// it (cascade.ts).

import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record-write.ts";
import { nameForTrail } from "../audit-row.ts";
import { describeHold, type HoldRow, toHold } from "../hold-row.ts";
import type { HoldFilter, HoldOutcome, NewHold } from "../holds.ts";
import type { Act } from "../store.ts";
import { appendAudit } from "../sql/audit.ts";
import { settle } from "./citus.ts";
import { findRecords } from "./record.ts";
import { keyColumns } from "./record-key.ts";
import type { Transaction } from "./transaction.ts";

const findById = `SELECT * FROM hold WHERE hold_id = $1`;

const findOfRecord = `
  SELECT * FROM hold WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
  ORDER BY placed_at, hold_id LIMIT $4`;

const findHeld = `
  SELECT hold.* FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS named (organization_id, resource_type, resource_id, item)
    JOIN hold USING (organization_id, resource_type, resource_id)
  ORDER BY item, placed_at, hold_id`;

const findFirst = `${findHeld} LIMIT 1`;

const insertHold = `
  INSERT INTO hold
    (hold_id, organization_id, resource_type, resource_id, reason, owner, review_on,
     placed_at, placed_by)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`;

const removeHold = `DELETE FROM hold WHERE hold_id = $1`;

const findTarget = `
  SELECT 1 FROM deletion_target
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 LIMIT 1`;

const findAny = `SELECT 1 FROM hold WHERE organization_id = $1 LIMIT 1`;

const findPage = `
  SELECT * FROM hold
  WHERE hold_id > $1 AND ($2::text IS NULL OR organization_id = $2)
    AND ($3::text IS NULL OR resource_type = $3) AND ($4::text IS NULL OR review_on < $4)
  ORDER BY hold_id LIMIT $5`;

/** Zero is long ago, so the worker looks again at once. */
const wakeHeld = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE organization_id = $1 AND held AND status IN ('pending', 'processing')`;

const lockPlans = `SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ' || $1, 0))`;

/**
 * Plans and holds of an organization come one after another: a plan that did not see the hold is seen by it. Released with
 * the transaction.
 */
export async function lockPlansOf(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(lockPlans, organizationId);
  await settle(transaction);
}

export async function placeHold(
  transaction: Transaction,
  { hold: wanted, act }: { readonly hold: NewHold; readonly act: Act },
): Promise<HoldOutcome> {
  const { organizationId, resourceType, resourceId } = wanted;
  await lockPlansOf(transaction, organizationId);
  const target = await transaction.get(findTarget, organizationId, resourceType, resourceId);
  if (target !== undefined) return "being_erased";
  if ((await findRecords(transaction, [wanted])).size === 0) return "no_such_record";
  const known = await findHolds(transaction, wanted);
  if (known.length >= limits.holdsOfRecordMax) return "too_many_holds";
  const hold = { ...wanted, placedAt: act.now, placedBy: act.actor };
  await addHold(transaction, { hold, act });
  return hold;
}

/** Whether or not the record is there. Does nothing if the hold is. */
export async function addHold(
  transaction: Transaction,
  { hold, act, because }: { readonly hold: Hold; readonly act: Act; readonly because?: string },
): Promise<void> {
  const added = await transaction.run(
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
  await note(transaction, { key: hold, action: "hold.place", detail, act });
}

export async function dropHold(
  transaction: Transaction,
  {
    holdId,
    act,
    because,
  }: { readonly holdId: string; readonly act: Act; readonly because?: string },
): Promise<Hold | undefined> {
  const hold = await findHold(transaction, holdId);
  if (hold === undefined || (await transaction.run(removeHold, holdId)) === 0) return undefined;
  await transaction.run(wakeHeld, hold.organizationId);
  const detail = because === undefined ? { holdId } : { holdId, because };
  await note(transaction, { key: hold, action: "hold.release", detail, act });
  return hold;
}

export async function findHold(
  transaction: Transaction,
  holdId: string,
): Promise<Hold | undefined> {
  const row = await transaction.get<HoldRow>(findById, holdId);
  return row === undefined ? undefined : toHold(row);
}

/** Those of one record, oldest first. */
export async function findHolds(
  transaction: Transaction,
  { organizationId, resourceType, resourceId }: RecordKey,
): Promise<readonly Hold[]> {
  const key = [organizationId, resourceType, resourceId] as const;
  const rows = await transaction.all<HoldRow>(findOfRecord, ...key, limits.holdsOfRecordMax);
  return rows.map(toHold);
}

/** Those of several records, in their order. */
export async function findHoldsOf(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<readonly Hold[]> {
  return (await transaction.all<HoldRow>(findHeld, ...keyColumns(keys))).map(toHold);
}

/** A hold on the first of these records that is held, if any. They are all of one organization. */
export async function findFirstHeld(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<Hold | undefined> {
  const organizationId = keys[0]?.organizationId;
  if (organizationId === undefined) return undefined;
  if ((await transaction.get(findAny, organizationId)) === undefined) return undefined;
  const row = await transaction.get<HoldRow>(findFirst, ...keyColumns(keys));
  return row === undefined ? undefined : toHold(row);
}

export async function listHolds(
  transaction: Transaction,
  { organizationId, resourceType, reviewBefore, after, limit }: HoldFilter,
): Promise<readonly Hold[]> {
  const rows = await transaction.all<HoldRow>(
    findPage,
    after ?? "",
    organizationId ?? null,
    resourceType ?? null,
    reviewBefore ?? null,
    limit,
  );
  return rows.map(toHold);
}

async function note(
  transaction: Transaction,
  event: {
    readonly key: RecordKey;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Promise<void> {
  const { key, action, detail, act } = event;
  await transaction.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: nameForTrail(key),
    detail,
  });
}
