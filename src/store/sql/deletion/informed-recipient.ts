// Which recipients were informed about the records that a deletion has erased, and have acknowledged it.

import { reader } from "../../row/reader.ts";
import { limits } from "../../../domain/limits.ts";
import { get, list, run, type Statements, scalar } from "../statement/statements.ts";

/** A recipient that was informed about the records of a type that a deletion has erased. */
export interface InformedRecipient {
  readonly name: string;
  readonly resourceType: string;
  readonly toldAt: number;
  readonly acknowledgedAt: number | undefined;
  /** When the recipient was removed before it had acknowledged. */
  readonly removedAt: number | undefined;
  /** When a notice that it had not acknowledged was erased because of its age. */
  readonly expiredAt: number | undefined;
}

const toInformed = reader<InformedRecipient>({});

const findInformed = `
  SELECT name, resource_type, told_at, acknowledged_at, removed_at, expired_at FROM deletion_recipient
  WHERE deletion_request_id = $1 AND organization_id = $2 ORDER BY name, resource_type`;

/** There are few rows, however many notices a deletion has sent: one for each recipient and type. */
export function* listInformed(deletionRequestId: string, organizationId: string) {
  return yield* list(toInformed, findInformed, deletionRequestId, organizationId);
}

/** That the recipient can still acknowledge it: the condition of an index. */
export const isWaiting = `acknowledged_at IS NULL AND removed_at IS NULL AND expired_at IS NULL`;

/** The same for rows that are found by their keys: PostgreSQL could read all of that index instead. */
export const isStillWaiting = `coalesce(acknowledged_at, removed_at, expired_at) IS NULL`;

/**
 * Reads those of one recipient, in a range of numbers; at most a part, because all other writes wait for it on SQLite.
 * On PostgreSQL an erasure may store a further notice before this statement gets the row, and only conditions outside
 * the subquery are then evaluated again.
 */
const waiting = `
  (deletion_request_id, name, resource_type) IN (
    SELECT deletion_request_id, name, resource_type FROM deletion_recipient
    WHERE organization_id = $1 AND name = $2 AND last_no > $3 AND last_no <= $4 AND ${isWaiting}
    ORDER BY last_no LIMIT ${limits.purgedRowsMax})
  --postgres AND last_no + 0 <= $4 AND ${isWaiting}
  `;

const setAcknowledged = `UPDATE deletion_recipient SET acknowledged_at = $5 WHERE ${waiting}`;

const setRemoved = `UPDATE deletion_recipient SET removed_at = $5 WHERE ${waiting}`;

const findNextName = `
  SELECT name FROM deletion_recipient
  WHERE organization_id = $1 AND name > $2 AND ${isWaiting}
  ORDER BY name LIMIT 1`;

interface Told {
  readonly organizationId: string;
  readonly name: string;
}

/** Up to which numbers a recipient was registered, and has acknowledged. */
interface Acknowledged extends Told {
  readonly sinceNo: number;
  readonly acknowledgedNo: number;
}

/** A part of its notices at a time; true if that was all. An earlier recipient of the name was told others. */
export function* acknowledgeDeletions(
  { organizationId, name, sinceNo, acknowledgedNo }: Acknowledged,
  now: number,
): Statements<boolean> {
  const range = [sinceNo, acknowledgedNo] as const;
  const stored = yield* run(setAcknowledged, organizationId, name, ...range, now);
  return stored < limits.purgedRowsMax;
}

/** The same for a recipient that was removed. `upTo`: the number of the last notice that it can have been told. */
export function* endAcknowledging(
  { organizationId, name }: Told,
  upTo: number,
  now: number,
): Statements<boolean> {
  const stored = yield* run(setRemoved, organizationId, name, 0, upTo, now);
  return stored < limits.purgedRowsMax;
}

/** Whether a recipient was ever informed, and so whether there ever was a notice. */
export function* isAnyInformed(): Statements<boolean> {
  return (yield* get("SELECT 1 FROM deletion_recipient LIMIT 1")) !== undefined;
}

/** Whether a recipient can still acknowledge something, which it can't once that has expired. */
export function* isAnyWaiting(): Statements<boolean> {
  return (yield* get(`SELECT 1 FROM deletion_recipient WHERE ${isWaiting} LIMIT 1`)) !== undefined;
}

/** The next name after this one, of a recipient or a removed one, that has deletions to acknowledge. */
export function* findNextToAcknowledge(organizationId: string, name: string) {
  return yield* scalar<string>(findNextName, organizationId, name);
}
