// Which recipients were informed about the records that a deletion has erased, and have acknowledged it.

import { reader } from "../../row/reader.ts";
import { limits } from "../../../domain/limits.ts";
import { list, run, type Statements } from "../statement/statements.ts";

/** A recipient that was informed about the records of a type that a deletion has erased. */
export interface ToldRecipient {
  readonly name: string;
  readonly resourceType: string;
  readonly toldAt: number;
  readonly acknowledgedAt: number | undefined;
  /** When the recipient was removed before it had acknowledged. */
  readonly removedAt: number | undefined;
}

const toTold = reader<ToldRecipient>({});

const findTold = `
  SELECT name, resource_type, told_at, acknowledged_at, removed_at FROM deletion_recipient
  WHERE deletion_request_id = $1 AND organization_id = $2 ORDER BY name, resource_type`;

/**
 * A deletion may have sent notices about millions of records, but has few rows here: one for each recipient and type.
 */
export function* listTold(
  deletionRequestId: string,
  organizationId: string,
): Statements<readonly ToldRecipient[]> {
  return yield* list(toTold, findTold, deletionRequestId, organizationId);
}

const setAcknowledged = `
  UPDATE deletion_recipient SET acknowledged_at = $4
  WHERE (deletion_request_id, name, resource_type) IN (
    SELECT deletion_request_id, name, resource_type FROM deletion_recipient
    WHERE organization_id = $1 AND name = $2 AND last_no <= $3
      AND acknowledged_at IS NULL AND removed_at IS NULL
    ORDER BY last_no LIMIT ${limits.purgedRowsMax})`;

const setRemoved = `
  UPDATE deletion_recipient SET removed_at = $3
  WHERE organization_id = $1 AND name = $2 AND acknowledged_at IS NULL AND removed_at IS NULL`;

interface Passed {
  readonly organizationId: string;
  readonly name: string;
  readonly changeNo: number;
  readonly now: number;
}

/**
 * Stores that the recipient has acknowledged its notices up to this number; at most a part of them at a time. Returns
 * whether that was all.
 */
export function* acknowledgeTold({
  organizationId,
  name,
  changeNo,
  now,
}: Passed): Statements<boolean> {
  const stored = yield* run(setAcknowledged, organizationId, name, changeNo, now);
  return stored < limits.purgedRowsMax;
}

export function* endTold({
  organizationId,
  name,
  now,
}: Omit<Passed, "changeNo">): Statements<void> {
  yield* run(setRemoved, organizationId, name, now);
}
