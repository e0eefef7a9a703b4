// Reads of the file thread: the plans of large cascades, and reads that cover very many records. Loaded when they are
// first needed. Changes nothing.

import { workerData } from "node:worker_threads";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { NodeKey } from "../../../domain/deletion/erasure.ts";
import { deletionFigures } from "../../sql/deletion/deletion.ts";
import { planLargeCascade } from "../../sql/plan/record-plans.ts";
import { listFloors } from "../../sql/retention/floor.ts";
import type { LongHistories } from "../../sql/retention/floor-origin.ts";
import type { DeletionFigures } from "../../interface/deletion.ts";
import type {
  ErasedPreview,
  ErasedQuery,
  ExpiredPart,
  ExpiryQuery,
} from "../../interface/retention.ts";
import type { DryRunPart, DryRunQuery } from "../../interface/plan.ts";
import { dryRun } from "../../sql/plan/dry-run.ts";
import { previewErased } from "../../sql/plan/expired-preview.ts";
import { findExpired } from "../../sql/plan/expired.ts";
import { findPartyObstacle } from "../../sql/plan/party-obstacle.ts";
import { findLatestArrival } from "../../sql/record/record.ts";
import { isObstacle, type Obstacle, targetsOf } from "../../sql/plan/plan.ts";
import { type Connection, openReader } from "../connection.ts";
import type { PlanPart } from "../erase/large-plan.ts";

const { path } = workerData as { readonly path: string };

/** The remaining targets of the last collected plan, or the obstacle that was found instead. */
let plan: PlanPart | Obstacle = { floors: [], histories: new Map(), upTo: 0, targets: [] };

/** Collects a plan in one read transaction, so that it sees one snapshot. */
export function collectPlan(root: NodeKey, deletion: Deletion, now: number): void {
  using reader = openReader(path);
  reader.run("BEGIN");
  const histories: LongHistories = new Map();
  const planned = reader.perform(planLargeCascade, deletion, root, { now, histories });
  const floors = reader.perform(listFloors, deletion.organizationId);
  const upTo = reader.perform(findLatestArrival);
  const ofParty =
    deletion.status === "pending"
      ? reader.perform(findPartyObstacle, deletion, { now })
      : undefined;
  if (isObstacle(planned)) plan = planned;
  else if (typeof ofParty === "object") plan = ofParty;
  else plan = { floors, histories, upTo, targets: targetsOf(planned) };
}

/** Counts in one read transaction: its counts are subtracted from each other. */
export function countDeletions(now: number): DeletionFigures {
  using reader = openReader(path);
  reader.run("BEGIN");
  return reader.perform(deletionFigures, now);
}

export function planDry(query: DryRunQuery): DryRunPart {
  using reader = openReader(path);
  reader.run("BEGIN");
  return reader.perform(dryRun, query);
}

/** Returns the next part; at the end, it has no targets. */
export function nextPlanPart(targetsMax: number): PlanPart | Obstacle {
  if (isObstacle(plan)) return plan;
  const { targets } = plan;
  const part = { ...plan, targets: targets.slice(0, targetsMax) };
  plan = { ...plan, targets: targets.slice(targetsMax) };
  return part;
}

/** Outside a transaction, so that each statement sees everything that is committed. */
export function readExpired(connection: Connection, query: ExpiryQuery): ExpiredPart {
  return connection.perform(findExpired, query);
}

/** Like `readExpired`. */
export function readErased(connection: Connection, query: ErasedQuery): ErasedPreview {
  return connection.perform(previewErased, query);
}
