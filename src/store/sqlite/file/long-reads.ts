// Reads of the file thread: the plans of large cascades, and reads that cover very many records. Loaded when they are
// first needed. Changes nothing.

import { workerData } from "node:worker_threads";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { NodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionFigures } from "../../sql/deletion/deletion.ts";
import { listFloors } from "../../sql/retention/floor.ts";
import type { ErasedQuery, ExpiryQuery } from "../../interface/retention.ts";
import type { DryRunQuery } from "../../interface/deletion.ts";
import { dryRun } from "../../sql/plan/dry-run.ts";
import { previewErased } from "../../sql/expiry/expired-preview.ts";
import { findExpired } from "../../sql/expiry/expired.ts";
import { largestCascade as bounds, planPending, planRecords } from "../../sql/plan/record-plans.ts";
import { findLatestArrival } from "../../sql/record/record.ts";
import { isObstacle, type Obstacle, targetsOf, tooLarge } from "../../sql/plan/plan.ts";
import { type Connection, openReader } from "../connection.ts";
import type { PlanPart } from "../erase/large-plan.ts";

/** The remaining targets of the last collected plan, or the obstacle that was found instead. */
let plan: PlanPart | Obstacle = { floors: [], upTo: 0, targets: [] };

/** Runs `work` in one read transaction, so that it sees one snapshot. */
function inSnapshot<Result>(work: (reader: Connection) => Result): Result {
  return outside((reader) => {
    reader.run("BEGIN");
    return work(reader);
  });
}

/** Outside a transaction, so that each statement sees everything that is committed. */
function outside<Result>(work: (reader: Connection) => Result): Result {
  const { path } = workerData as { readonly path: string };
  using reader = openReader(path);
  return work(reader);
}

function collectPlan(
  reader: Connection,
  root: NodeKey,
  { deletion, now }: { readonly deletion: Deletion; readonly now: number },
): PlanPart | Obstacle {
  const [planned] =
    deletion.status === "pending"
      ? reader.perform(planPending, [deletion], { now, bounds }).plans
      : reader.perform(planRecords, [{ deletion, root }], { now, bounds });
  if (typeof planned !== "object") return tooLarge;
  if (isObstacle(planned)) return planned;
  const floors = reader.perform(listFloors, deletion.organizationId);
  const upTo = reader.perform(findLatestArrival);
  return { floors, upTo, targets: targetsOf(planned) };
}

export const longReads = {
  /** Collects a plan, or finds an obstacle, and keeps it until the next one. */
  collectPlan: (root: NodeKey, deletion: Deletion, now: number): void => {
    plan = inSnapshot((reader) => collectPlan(reader, root, { deletion, now }));
  },
  /** Returns the next part of the last collected plan, without targets at its end; or the obstacle. */
  nextPlanPart: (targetsMax: number): PlanPart | Obstacle => {
    if (isObstacle(plan)) return plan;
    const { targets } = plan;
    const part = { ...plan, targets: targets.slice(0, targetsMax) };
    plan = { ...plan, targets: targets.slice(targetsMax) };
    return part;
  },
  /** Counts all deletions, of which there may be millions; the counts are subtracted from each other. */
  deletionFigures: (now: number) => inSnapshot((reader) => reader.perform(deletionFigures, now)),
  dryRun: (query: DryRunQuery) => inSnapshot((reader) => reader.perform(dryRun, query)),
  /** May need many reads, because each record may have very many that belong to it. */
  findExpired: (query: ExpiryQuery) => outside((reader) => reader.perform(findExpired, query)),
  previewErased: (query: ErasedQuery) => outside((reader) => reader.perform(previewErased, query)),
};
