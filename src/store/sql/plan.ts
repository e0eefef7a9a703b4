// What a deletion's plan consists of, and what keeps it from being processed: a legal hold, or a cascade that exceeds
// the limit. Following the relations and writing a plan are each engine's own.

import { type ErasurePlan, type NodeKey, parseNodeKey } from "../../domain/deletion/erasure.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { findFirstHeld, hasHolds } from "./hold.ts";
import { get, type Statements } from "./statements.ts";

const findEnd = `
  SELECT coalesce(max(position), 0) AS position FROM deletion_target
  WHERE deletion_request_id = $1`;

/** Records of one statement: a plan may have very many, and PostgreSQL serves others between two statements. */
const nodesAtOnce = 500;

/** Why a plan can't be processed, as reported to operators. */
export interface Obstacle {
  readonly waitingFor: string;
  readonly held: boolean;
}

export const tooLarge: Obstacle = {
  waitingFor: `a cascade of more than ${limits.cascadeRecordsMax} records`,
  held: false,
};

export function isObstacle(planned: object): planned is Obstacle {
  return "waitingFor" in planned;
}

/** A record to erase or, with a reference, one from which that reference is to be redacted. */
export interface PlanTarget {
  readonly record: NodeKey;
  readonly reference?: NodeKey | undefined;
}

/** How many records a plan erases, and how many references it redacts. */
export interface PlanCounts {
  readonly toErase: number;
  readonly toRedact: number;
}

export function countPlan({ erase, redact }: ErasurePlan): PlanCounts {
  return { toErase: erase.length, toRedact: redact.length };
}

/** References are redacted first, and the root is erased last. */
export function targetsOf({ erase, redact }: ErasurePlan): readonly PlanTarget[] {
  const references = [...redact].sort((one, other) => (one.record < other.record ? -1 : 1));
  return [...references, ...erase.map((record) => ({ record }))];
}

/** The plan, or the hold on something that it would erase or redact. */
export function* obeyHolds(
  organizationId: string,
  plan: ErasurePlan,
): Statements<ErasurePlan | Obstacle> {
  const redacted = plan.redact.map(({ record }) => record);
  return (yield* findObstacle(organizationId, [...plan.erase, ...redacted])) ?? plan;
}

/** The first hold on any of these records. */
export function* findObstacle(
  organizationId: string,
  nodes: readonly NodeKey[],
): Statements<Obstacle | undefined> {
  if (!(yield* hasHolds(organizationId))) return undefined;
  for (let at = 0; at < nodes.length; at += nodesAtOnce) {
    const keys = nodes.slice(at, at + nodesAtOnce).map((node) => toKey(organizationId, node));
    const hold = yield* findFirstHeld(keys);
    if (hold === undefined) continue;
    return { waitingFor: `a hold on ${hold.resourceType} ${hold.resourceId}`, held: true };
  }
  return undefined;
}

/** The position of the last target of a plan; 0 without a plan. */
export function* findPlanEnd(deletionRequestId: string): Statements<number> {
  return (yield* get<{ position: number }>(findEnd, deletionRequestId))?.position ?? 0;
}

export function toKey(organizationId: string, node: NodeKey): RecordKey {
  const { type, id } = parseNodeKey(node);
  return { organizationId, resourceType: type, resourceId: id };
}
