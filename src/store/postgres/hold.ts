// Legal holds: placed, released and read. A hold only says that a record is to stay; plans obey it (cascade.ts).

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record-write.ts";
import { nameForTrail } from "../audit-row.ts";
import type { Act, HoldOutcome } from "../store.ts";
import { appendAudit } from "./audit.ts";
import { settle } from "./citus.ts";
import { findRecords } from "./record.ts";
import { keyColumns } from "./record-key.ts";
import type { Transaction } from "./transaction.ts";

interface HoldRow {
  readonly organization_id: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly reason: string;
  readonly placed_at: number;
  readonly placed_by: string;
}

const findHeld = `
  SELECT hold.* FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS named (organization_id, resource_type, resource_id, item)
    JOIN hold USING (organization_id, resource_type, resource_id)
  ORDER BY item LIMIT 1`;

const insertHold = `
  INSERT INTO hold (organization_id, resource_type, resource_id, reason, placed_at, placed_by)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const removeHold = `
  DELETE FROM hold WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3`;

const findTarget = `
  SELECT 1 FROM deletion_target
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 LIMIT 1`;

const findAny = `SELECT 1 FROM hold WHERE organization_id = $1 LIMIT 1`;

const findAll = `SELECT * FROM hold ORDER BY placed_at, organization_id, resource_type, resource_id`;

const findOfOrganization = `
  SELECT * FROM hold WHERE organization_id = $1 ORDER BY placed_at, resource_type, resource_id`;

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

/** A record that is held already stays held as it was. */
export async function placeHold(
  transaction: Transaction,
  { key, reason, act }: { readonly key: RecordKey; readonly reason: string; readonly act: Act },
): Promise<HoldOutcome> {
  const { organizationId, resourceType, resourceId } = key;
  await lockPlansOf(transaction, organizationId);
  const target = await transaction.get(findTarget, organizationId, resourceType, resourceId);
  if (target !== undefined) return "being_erased";
  if ((await findRecords(transaction, [key])).size === 0) return "no_such_record";
  const known = await findFirstHeld(transaction, [key]);
  if (known !== undefined) return known;
  await transaction.run(
    insertHold,
    organizationId,
    resourceType,
    resourceId,
    reason,
    act.now,
    act.actor,
  );
  await note(transaction, { key, action: "hold.place", detail: { reason }, act });
  return {
    organizationId,
    resourceType,
    resourceId,
    reason,
    placedAt: act.now,
    placedBy: act.actor,
  };
}

export async function releaseHold(
  transaction: Transaction,
  { key, act }: { readonly key: RecordKey; readonly act: Act },
): Promise<Hold | undefined> {
  const { organizationId, resourceType, resourceId } = key;
  const hold = await findFirstHeld(transaction, [key]);
  if (hold === undefined) return undefined;
  await transaction.run(removeHold, organizationId, resourceType, resourceId);
  await transaction.run(wakeHeld, organizationId);
  await note(transaction, { key, action: "hold.release", detail: {}, act });
  return hold;
}

/** The first of these records that is held, if any. They are all of one organization. */
export async function findFirstHeld(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<Hold | undefined> {
  const organizationId = keys[0]?.organizationId;
  if (organizationId === undefined) return undefined;
  if ((await transaction.get(findAny, organizationId)) === undefined) return undefined;
  const row = await transaction.get<HoldRow>(findHeld, ...keyColumns(keys));
  return row === undefined ? undefined : toHold(row);
}

export async function listHolds(
  transaction: Transaction,
  organizationId: string | undefined,
): Promise<readonly Hold[]> {
  const rows =
    organizationId === undefined
      ? await transaction.all<HoldRow>(findAll)
      : await transaction.all<HoldRow>(findOfOrganization, organizationId);
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
  await appendAudit(transaction, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: nameForTrail(key),
    detail,
  });
}
