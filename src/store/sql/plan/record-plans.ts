// Plans deletions of records: the cascade of each, the obstacle that prevents it from being processed, and the reports
// that have to be kept. Several deletions of an organization are planned together, with the same result as one after
// the other. Writes nothing.

import type { Deletion, PlanSubject } from "../../../domain/deletion/deletion.ts";
import {
  BoundedEdges,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  nodeKeyOf,
} from "../../../domain/deletion/erasure.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RetentionFloor } from "../../../domain/retention/floor.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { lock, type Statements } from "../statement/statements.ts";
import { cascadeOf, collectGraph, type Collecting, type RelationGraph } from "./cascade.ts";
import { listFloors } from "../retention/floor.ts";
import { readFloorsAgain, readObligations, restrictPlan } from "./obligation.ts";
import {
  allPages,
  type PartyBounds,
  type PartyObstacles,
  readPartyObstacles,
} from "./party-obstacle.ts";
import {
  findObstacles,
  isObstacle,
  Obligations,
  type Obstacle,
  obstacleOf,
  type Obstacles,
  type Planning,
  planningOf,
  recordsUnderFloor,
  tooLarge,
} from "./plan.ts";
import { findErasing } from "./relations.ts";

/** If the relations of several deletions exceed the bound, this part of them is planned. */
const partOfSet = 1 / 8;

export interface PlanBounds {
  /** How many relations one cascade, or those of several deletions together, may have. */
  readonly relationsMax: number;
  /** Whether a cascade beyond the bound is planned elsewhere; otherwise it is too large. */
  readonly bounded: boolean;
  /** Whether a cascade that needs a long history is planned elsewhere too: writers wait for this transaction. */
  readonly shortHistories: boolean;
  /** How much is read of what names persons and companies, if it is not the default. */
  readonly parties?: PartyBounds;
}

/** What is planned where others wait. */
export const smallCascades = { relationsMax: 2_000, bounded: true } as const;

/** The bounds of a cascade that is planned where nobody waits for it. */
export const largestCascade: PlanBounds = {
  relationsMax: limits.cascadeRecordsMax,
  bounded: false,
  shortHistories: false,
  parties: allPages,
};

/** `large`: it is planned elsewhere. `later`: it can't be planned with these. */
export type RecordPlan = ErasurePlan | Obstacle | "large" | "later";

interface Root {
  readonly planning: Planning;
  readonly deletion: Deletion;
  /** The record of the deletion, or another target that the verification found. */
  readonly root: NodeKey;
}

interface PlanningOptions {
  readonly now: number;
  readonly bounds: PlanBounds;
  /** What pending deletions of parties wait for; undefined if nothing, or if that is evaluated elsewhere. */
  readonly parties?: PartyObstacles | undefined;
}

/** Plans pending deletions of one organization. `isBehind`: the index of parties has to advance for some of them. */
export function* planPending(
  deletions: readonly Deletion[],
  { now, bounds }: Pick<PlanningOptions, "now" | "bounds">,
): Statements<{ readonly plans: readonly RecordPlan[]; readonly isBehind: boolean }> {
  const parties = yield* readPartyObstacles(deletions, now, bounds.parties);
  const roots = deletions.map((deletion) => ({ deletion, root: nodeKeyOf(deletion) }));
  const plans = yield* planRecords(roots, { now, bounds, parties });
  return { plans, isBehind: parties?.isBehind === true };
}

/**
 * Plans deletions of one organization, each as if the earlier ones had begun. If all of them need too many relations,
 * the first ones are planned, so that no more is read at once however many there are.
 */
export function* planRecords(
  deletions: readonly Omit<Root, "planning">[],
  { now, bounds, parties }: PlanningOptions,
): Statements<readonly RecordPlan[]> {
  const [first] = deletions;
  if (first === undefined) return [];
  const { organizationId } = first.deletion;
  const confidential = yield* readConfidentialTypes(organizationId);
  const obligations = new Obligations(yield* listFloorsThatKeep(organizationId));
  const all = deletions.map((one) => {
    return { ...one, planning: planningOf(one.deletion, now, confidential) };
  });
  for (let roots = all; ; roots = roots.slice(0, Math.ceil(roots.length * partOfSet))) {
    const planned = roots.map(({ root }) => root);
    const reading = { organizationId, confidential, bounds, obligations, planned };
    const graph = yield* readGraph(roots, bounds.relationsMax, reading);
    if (graph.cut !== undefined && roots.length > 1) continue;
    const set = { ...reading, roots, graph, parties };
    const some = yield* obligations.floors.length === 0 ? planInOrder(set) : planLocked(set);
    return all.map((_, index) => some[index] ?? "later");
  }
}

/** If an organization is being erased, a rule that was set later keeps none of its records. */
export function* listFloorsThatKeep(organizationId: string): Statements<readonly RetentionFloor[]> {
  const floors = yield* listFloors(organizationId);
  const everything = nodeKey(organizationType, organizationId);
  const isErased =
    floors.length > 0 && (yield* findErasing(organizationId, [everything])).length > 0;
  return isErased ? [] : floors;
}

export interface Reading extends Pick<Collecting, "organizationId" | "types" | "planned"> {
  readonly confidential: ReadonlySet<ResourceType>;
  readonly bounds: Pick<PlanBounds, "shortHistories">;
  readonly obligations: Obligations;
  /** Holds that end by themselves before this day are left out; without one, all holds count. */
  readonly heldOn?: string | undefined;
}

interface PlanningSet extends Reading {
  readonly bounds: PlanBounds;
  readonly roots: readonly Root[];
  readonly graph: RelationGraph;
  readonly parties: PartyObstacles | undefined;
}

/** Reads what the plans of these deletions depend on, and adds what requires that records are kept. */
export function* readGraph(
  roots: readonly (Pick<Root, "root"> & { readonly deletion: PlanSubject })[],
  relationsMax: number,
  reading: Reading,
): Statements<RelationGraph> {
  const { organizationId, confidential, bounds, obligations, heldOn } = reading;
  const bounded = new BoundedEdges(relationsMax, confidential);
  const nodes = roots.map(({ root }) => root);
  const graph = yield* collectGraph({ ...reading, roots: nodes, bounded });
  yield* readObligations(obligations, [...graph.nodes()], {
    organizationId,
    confidential,
    deletions: roots.map(({ deletion }) => deletion),
    shortHistories: bounds.shortHistories,
    heldOn,
  });
  return graph;
}

/** Plans again after locking records under floors: a change of one may not have been committed before. */
function* planLocked(set: PlanningSet): Statements<readonly RecordPlan[]> {
  const { roots, obligations, confidential } = set;
  const locked = new Set<string>();
  for (;;) {
    const plans = yield* planInOrder(set);
    const begun = plans.flatMap((plan, index) => {
      const planning = roots[index]?.planning;
      return typeof plan === "string" || isObstacle(plan) || !planning ? [] : [{ plan, planning }];
    });
    const records = begun
      .flatMap(({ plan, planning }) => recordsUnderFloor(plan, planning, obligations.floors))
      .filter((key) => !locked.has(keyText(key)));
    const isKnown = locked.size > 0 && records.length === 0;
    if (begun.length === 0 || isKnown || !(yield* lock(records))) return plans;
    for (const key of records) locked.add(keyText(key));
    yield* readFloorsAgain(obligations, records, confidential);
    if (records.length === 0) return plans;
  }
}

function* planInOrder(set: PlanningSet): Statements<readonly RecordPlan[]> {
  const going = new Set<NodeKey>();
  const plans: RecordPlan[] = [];
  for (const one of set.roots) {
    const plan = yield* planOne(one, going, set);
    plans.push(plan);
    if (typeof plan === "string" || isObstacle(plan)) continue;
    for (const node of plan.erase) going.add(node);
  }
  return plans;
}

/** Plans one deletion. `going` contains what the plans before this one erase. */
function* planOne(
  one: Root,
  going: ReadonlySet<NodeKey>,
  set: PlanningSet,
): Statements<RecordPlan> {
  const plan = yield* planAlone(one, going, set);
  if (set.parties === undefined) return plan;
  if (typeof plan === "string") return plan;
  return set.parties.obstacleOf(one.deletion, isObstacle(plan) ? plan : undefined) ?? plan;
}

function* planAlone(
  one: Root,
  going: ReadonlySet<NodeKey>,
  set: PlanningSet,
): Statements<RecordPlan> {
  const evaluated = yield* evaluate(one, going, set);
  const { plan, holds, isCut, isLong } = evaluated;
  if (isCut) return set.bounds.bounded ? "large" : tooLarge;
  if (isLong && holds.length === 0) return "large";
  return obstacleOf(evaluated, one.planning.now) ?? plan;
}

/** The plan of a deletion, and everything that prevents it. */
export interface Evaluated extends Obstacles {
  readonly plan: ErasurePlan;
  readonly isCut: boolean;
}

/** `going` contains what earlier plans erase. */
export function* evaluate(
  { root, planning }: Pick<Root, "root" | "planning">,
  going: ReadonlySet<NodeKey>,
  { graph, obligations }: Pick<PlanningSet, "graph" | "obligations">,
): Statements<Evaluated> {
  const { plan, edges, isCut } = yield* cascadeOf(root, graph, going);
  const obstacles = findObstacles(plan, planning, obligations);
  return { ...obstacles, isCut, plan: restrictPlan(plan, edges, { planning, obligations }) };
}
