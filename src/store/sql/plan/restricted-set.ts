// Restricted sets: records that a deletion had to keep. A set is opened when the deletion is completed, as a second
// deletion of everything in it, and evaluated until nothing requires that it is kept. Then it is erased like an
// organization (organization-erasure.ts).

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { deletionOfSet, restrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { Act } from "../../interface/act.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { digestOfRequest } from "../../row/audit-row.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { listFloors } from "../retention/floor.ts";
import { latestFloor, readOrigins } from "../retention/floor-origin.ts";
import { findHoldsOf } from "../retention/hold.ts";
import {
  laterObstacle,
  type Obstacle,
  obstacleOfFloor,
  obstacleOfHold,
  type Planning,
} from "./plan.ts";
import { findMovingDeletions } from "./relations.ts";
import { forgetSet } from "./restricted-reference.ts";
import { inNamedIds, named } from "../statement/named.ts";
import { all, Rows, run, type Statements, column } from "../statement/statements.ts";
import { findDeletions } from "../deletion/deletion.ts";

const findReferencesOf = `
  SELECT DISTINCT deletion_request_id FROM restricted_reference
  WHERE ${inNamedIds("deletion_request_id")}`;

/** It exists already if both deletions are replayed. */
const insertSets = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at, restricted_of)
  SELECT id, id, $7, id, reason, 'pending', requester, asked, CAST($6 AS bigint), origin
  FROM ${named("id", "reason", "requester", "asked bigint", "origin")}
  WHERE true
  ON CONFLICT DO NOTHING
  RETURNING deletion_request_id`;

const findReports = `
  SELECT DISTINCT from_type, from_id, from_set FROM restricted_reference
  WHERE deletion_request_id = $1 ORDER BY from_set, from_type, from_id`;

const reportsAtOnce = 500;

/** A report that keeps a set; `organizationId`: where it is now. */
export interface KeepingReport {
  readonly organizationId: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** The deletion that has moved the report, or is about to; undefined if the report stays. */
  readonly movedBy: string | undefined;
}

interface ReportRow {
  readonly from_type: string;
  readonly from_id: string;
  readonly from_set: string;
}

/** Opens a second deletion for what each has kept. Returns audit notes, written with those of the completions. */
export function* openSets(
  deletions: readonly Deletion[],
  act: Act,
): Statements<readonly AuditNote[]> {
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  const keepers = new Set(yield* column<string>(findReferencesOf, ids));
  const keeping = deletions.filter(
    ({ deletionRequestId: id, kept, restrictedOf }) =>
      restrictedOf === undefined && (keepers.has(id) || Object.keys(kept).length > 0),
  );
  const byId = new Map(keeping.map((one) => [restrictedId(one.deletionRequestId), one]));
  const rows = [...byId].map(([id, { reason, requestedBy, requestedAt, organizationId }]) => {
    return [id, reason, requestedBy, requestedAt, organizationId];
  });
  const values = [new Rows(rows, 5), act.now, organizationType] as const;
  const opened = yield* column<string>(insertSets, ...values);
  return opened.flatMap((id) => {
    const deletion = byId.get(id);
    return deletion === undefined ? [] : [noteOfSet(id, deletion, act)];
  });
}

function noteOfSet(
  id: string,
  { reason, requestedBy, requestedAt }: Deletion,
  act: Act,
): AuditNote {
  const record = { organizationId: id, resourceType: organizationType, resourceId: id };
  const asked = { deletionRequestId: id, reason, requestedBy, requestedAt };
  const request = digestOfRequest({ ...record, ...asked });
  const detail = { resourceType: organizationType, dueAt: act.now, request };
  return { action: "deletion.request", organizationId: id, subject: id, detail };
}

/** The deletion that moved the records is replayed first, or the restore did not undo it. */
const setOrigin = `
  UPDATE deletion SET restricted_of = coalesce((
    SELECT organization_id FROM deletion AS moving WHERE moving.deletion_request_id = $2), '')
  WHERE deletion_request_id = $1`;

/** Stores which organization the records of a set came from, for a replayed deletion of the set. */
export function* nameOriginOf(deletionRequestId: string): Statements<void> {
  yield* run(setOrigin, deletionRequestId, deletionOfSet(deletionRequestId) ?? "");
}

/** Removes what refers to a set. Runs in the transaction that completes the deletion of the set. */
export function* endSet({ deletionRequestId, restrictedOf }: Deletion): Statements<void> {
  const moving = deletionOfSet(deletionRequestId);
  if (restrictedOf === undefined || moving === undefined) return;
  yield* forgetSet(restrictedOf, moving);
}

/** The reports outside a set that keep it. */
export function* listKeepingReports(
  deletionRequestId: string,
  restrictedOf: string,
): Statements<readonly KeepingReport[]> {
  const moving = deletionOfSet(deletionRequestId);
  if (moving === undefined) return [];
  const rows = yield* all<ReportRow>(findReports, moving);
  return rows.map(({ from_type: resourceType, from_id: resourceId, from_set }) => ({
    organizationId: from_set === "" ? restrictedOf : restrictedId(from_set),
    resourceType,
    resourceId,
    movedBy: from_set === "" ? undefined : from_set,
  }));
}

/** Leaves out holds and floors on its own records. Returns the floor that ends last. */
export function* findSetObstacle(planning: Planning): Statements<Obstacle | undefined> {
  const { deletionRequestId, restrictedOf, now } = planning;
  const moving = deletionOfSet(deletionRequestId);
  if (restrictedOf === undefined || moving === undefined) return undefined;
  const mover = (yield* readMovers([moving])).get(moving);
  if (isOpen(mover)) return unfinished(moving, now);
  const reports = yield* listKeepingReports(deletionRequestId, restrictedOf);
  let latest: Obstacle | undefined;
  for (let at = 0; at < reports.length; at += reportsAtOnce) {
    const part = reports.slice(at, at + reportsAtOnce);
    const asked = part.map((report) => ({ ...report, requestedAt: planning.requestedAt }));
    const obstacles = yield* findObstaclesOfReports(asked, { ...planning, restrictedOf });
    const unending = obstacles.find((one) => one !== undefined && one.floorUntil === undefined);
    if (unending !== undefined) return unending;
    latest = obstacles.reduce(laterObstacle, latest);
  }
  return latest;
}

interface ReportRules extends Pick<Planning, "isReplay" | "now"> {
  readonly restrictedOf: string;
}

/**
 * A report is kept in its place as long as the records that support it; without a time to count from, the floor counts
 * from the request that moved it. Returns the result of each report, in order; the same number of statements run even
 * without reports.
 */
export function* findObstaclesOfReports(
  reports: readonly (KeepingReport & Pick<Planning, "requestedAt">)[],
  { restrictedOf, isReplay, now }: ReportRules,
): Statements<readonly (Obstacle | undefined)[]> {
  const moving = yield* findMovingDeletions(reports.filter((one) => one.movedBy === undefined));
  const moverOf = (report: KeepingReport) => report.movedBy ?? moving.get(keyText(report));
  const movers = yield* readMovers(reports.map((one) => moverOf(one) ?? ""));
  const held = new Set((yield* findHoldsOf(reports)).map(keyText));
  const floors = isReplay ? [] : yield* listFloors(restrictedOf);
  const origins = yield* readOrigins({ floors, records: reports });
  return reports.map((report) => {
    const movedBy = moverOf(report) ?? "";
    const mover = movers.get(movedBy);
    if (isOpen(mover)) return unfinished(movedBy, now);
    if (held.has(keyText(report))) return obstacleOfHold(report);
    const requestedAt = Math.max(report.requestedAt, mover?.requestedAt ?? 0);
    return obstacleOfFloor(latestFloor({ floors, origins, records: [report], requestedAt }), now);
  });
}

function* readMovers(ids: readonly string[]): Statements<ReadonlyMap<string, Deletion>> {
  const movers = yield* findDeletions(ids);
  return new Map(movers.map((one) => [one.deletionRequestId, one]));
}

/** False for a deletion that does not exist: there is nothing to wait for. */
function isOpen(mover: Deletion | undefined): boolean {
  return mover?.status === "pending" || mover?.status === "processing";
}

function unfinished(deletionRequestId: string, now: number): Obstacle {
  return { waitingFor: `the deletion ${deletionRequestId}`, held: false, retryAt: now };
}
