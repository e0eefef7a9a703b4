// The first steps of a deletion: what keeps it from being processed, and its plan. Several deletions of an organization are planned
// together. A deletion becomes `processing` in the transaction that completes its plan, so neither exists without the other.

import { awaitsApproval } from "../../../domain/deletion/approval.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  BoundedEdges,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
} from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type { Claim } from "../../interface/store.ts";
import { beginDeletions, notApproved, putOff, storeCursor } from "./claim.ts";
import { restrictPlan } from "./obligation.ts";
import { type FloorScan, type ScanBounds, scanFloors } from "./organization-floors.ts";
import { planOrganization, readingFloors } from "./organization-obstacle.ts";
import {
  findObstacle,
  isObstacle,
  type Obstacle,
  planningOf,
  type PlanRules,
  readRules,
  targetsOf,
  tooLarge,
} from "./plan.ts";
import type { Statements } from "../statement/statements.ts";
import { cascadeOf, collectGraph, type RelationGraph } from "./cascade.ts";
import { type Planned, writePlans } from "./write-plan.ts";

/** Relations that are read for several deletions together; those of which not all is read are planned one by one. */
const relationsOfSetMax = 2_000;

export interface PlanBounds {
  /** Relations of one cascade. */
  readonly relationsMax: number;
  /** Whether what is beyond the bound is planned elsewhere; otherwise it is too large. */
  readonly bounded: boolean;
  /** Whether that also applies to what needs a long history to be read, because writers wait for it. */
  readonly shortHistories: boolean;
}

export interface StepBounds extends PlanBounds {
  readonly scan: ScanBounds;
}

export interface BeginResult {
  readonly begun: readonly Deletion[];
  /** Those that are too large to be planned in this transaction. */
  readonly large: readonly Deletion[];
}

/** Deletions that are due, in order. One with an obstacle is put off, with the reason. */
export function* planDeletions(
  due: readonly DeletionRow[],
  claim: Claim,
  bounds: StepBounds,
): Statements<BeginResult> {
  const ready: Deletion[] = [];
  const planned: Planned[] = [];
  for (const row of due) {
    const deletion = toDeletion(row);
    if (awaitsApproval(deletion)) yield* putOff(deletion, notApproved, claim.now);
    else if (!isOfOrganization(deletion)) ready.push(deletion);
    else {
      const plan = yield* planAll(row, claim.now, bounds.scan);
      if (plan !== undefined) planned.push({ deletion, targets: targetsOf(plan) });
    }
  }
  const large: Deletion[] = [];
  for (const [, some] of Map.groupBy(ready, ({ organizationId }) => organizationId)) {
    for (const { deletion, plan } of yield* planRecords(some, claim.now, bounds)) {
      if (plan === "large") large.push(deletion);
      else if (isObstacle(plan)) yield* putOff(deletion, plan, claim.now);
      else planned.push({ deletion, targets: targetsOf(plan) });
    }
  }
  yield* writePlans(planned);
  return { begun: yield* beginDeletions(planned, claim), large };
}

export interface RecordPlan {
  readonly deletion: Deletion;
  readonly plan: ErasurePlan | Obstacle | "large";
}

/** The plans of deletions of one organization, each as if the earlier ones had begun. */
export function* planRecords(
  deletions: readonly Deletion[],
  now: number,
  bounds: PlanBounds,
): Statements<readonly RecordPlan[]> {
  const [first] = deletions;
  if (first === undefined) return [];
  const { organizationId } = first;
  const rules = yield* readRules(organizationId);
  const bounded = new BoundedEdges(relationsOfSetMax, rules.confidential);
  const graph = yield* collectGraph({ organizationId, roots: deletions.map(rootOf), bounded });
  const going = new Set<NodeKey>();
  const plans: RecordPlan[] = [];
  for (const deletion of deletions) {
    const plan = yield* planOne(deletion, { now, rules, graph, going, bounds });
    plans.push({ deletion, plan });
    if (plan === "large" || isObstacle(plan)) continue;
    for (const node of plan.erase) going.add(node);
  }
  return plans;
}

function rootOf({ resourceType, resourceId }: Pick<Deletion, "resourceType" | "resourceId">) {
  return nodeKey(resourceType, resourceId);
}

interface PlanningContext {
  readonly now: number;
  readonly rules: PlanRules;
  readonly graph: RelationGraph;
  /** What the plans before this one erase. */
  readonly going: ReadonlySet<NodeKey>;
  readonly bounds: PlanBounds;
  /** Something else than the record of the deletion, which was found to be left. */
  readonly root?: NodeKey;
}

function* planOne(
  deletion: Deletion,
  { now, rules, graph, going, bounds, root = rootOf(deletion) }: PlanningContext,
): Statements<RecordPlan["plan"]> {
  const { organizationId } = deletion;
  const { confidential } = rules;
  let cascade = yield* cascadeOf(root, graph, going);
  if (cascade === undefined) {
    const bounded = new BoundedEdges(bounds.relationsMax, confidential);
    const own = yield* collectGraph({ organizationId, roots: [root], bounded });
    cascade = yield* cascadeOf(root, own, going);
  }
  if (cascade === undefined) return bounds.bounded ? "large" : tooLarge;
  const { plan, edges } = cascade;
  const planning = { ...planningOf(deletion, now, confidential), rules };
  const obstacle = yield* findObstacle(plan, planning, { bounded: bounds.shortHistories });
  if (obstacle === "too_long") return "large";
  return obstacle ?? (yield* restrictPlan(plan, edges, planning));
}

/** The cascade of any record of the organization, for a deletion that is large, or that is processed already. */
export function* planCascade(
  deletion: Deletion,
  root: NodeKey,
  { now, bounds }: Pick<PlanningContext, "now" | "bounds">,
): Statements<RecordPlan["plan"]> {
  const { organizationId } = deletion;
  const rules = yield* readRules(organizationId);
  const bounded = new BoundedEdges(bounds.relationsMax, rules.confidential);
  const graph = yield* collectGraph({ organizationId, roots: [root], bounded });
  return yield* planOne(deletion, { now, rules, graph, going: new Set(), bounds, root });
}

/** The largest cascade that is planned at all, where nobody waits for it. */
export const largestCascade: PlanBounds = {
  relationsMax: limits.cascadeRecordsMax,
  bounded: false,
  shortHistories: false,
};

export function* planLargeCascade(
  deletion: Deletion,
  root: NodeKey,
  now: number,
): Statements<ErasurePlan | Obstacle> {
  const plan = yield* planCascade(deletion, root, { now, bounds: largestCascade });
  return plan === "large" ? tooLarge : plan;
}

/** The plan of everything of an organization; undefined if there is an obstacle, or floors are still to be read. */
function* planAll(
  row: DeletionRow,
  now: number,
  bounds: ScanBounds,
): Statements<ErasurePlan | undefined> {
  const deletion = toDeletion(row);
  // Whoever may know of this deletion may know of all that it waits for.
  const planning = planningOf(deletion, now, new Set());
  const scan = row.cursor === null ? undefined : (JSON.parse(row.cursor) as FloorScan);
  const plan = yield* planOrganization(planning, scan);
  if (plan === "floors") {
    const next = yield* scanFloors(planning, scan, bounds);
    yield* storeCursor(deletion, JSON.stringify(next));
    // After deletions that were due before.
    yield* putOff(deletion, { waitingFor: readingFloors, held: false, retryAt: now }, now);
    return undefined;
  }
  if (!isObstacle(plan)) return plan;
  yield* storeCursor(deletion, null);
  yield* putOff(deletion, plan, now);
  return undefined;
}
