// What a deletion's plan consists of, and what keeps it from being processed: a legal hold, a retention floor, or a cascade
// that exceeds the limit. See erase/ for how plans are made and written.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { describeFloor, type RetentionFloor } from "../../../domain/retention/floor.ts";
import { findLatestFloor, listFloors, needsLongHistory } from "./floor.ts";
import { findFirstHeld, hasHolds } from "./hold.ts";
import { findHeldNaming } from "./naming.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { lock, type Statements } from "../statement/statements.ts";

/** Records of one statement: a plan may have very many, and PostgreSQL serves others between two statements. */
const nodesAtOnce = 500;

/** Why a plan can't be processed, as reported to operators. */
export interface Obstacle {
  readonly waitingFor: string;
  readonly held: boolean;
  /** When the retention floor ends that it waits for. */
  readonly floorUntil?: number;
  /** When it is evaluated again, if that is not decided by the obstacle. */
  readonly retryAt?: number;
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
  /** The record is moved to the restricted store, or the reference remains in it for now. */
  readonly restricted: boolean;
}

/** References are redacted first, and the root is erased last. */
export function targetsOf({ erase, redact, restriction }: ErasurePlan): readonly PlanTarget[] {
  const references = [...redact].sort((one, other) => (one.record < other.record ? -1 : 1));
  return [
    ...references.map((redaction) => ({
      ...redaction,
      restricted: restriction?.reports.has(redaction.record) === true,
    })),
    ...erase.map((record) => ({ record, restricted: restriction?.records.has(record) === true })),
  ];
}

/** The deletion that a plan is made for, and when. */
export interface Planning {
  readonly deletionRequestId: string;
  readonly organizationId: string;
  /** Of the deletion of a restricted set: the organization whose rules apply. */
  readonly restrictedOf: string | undefined;
  /** The record that was asked for. */
  readonly root: NodeKey;
  /** The confidential types of the organization. */
  readonly confidential: ReadonlySet<ResourceType>;
  readonly now: number;
  readonly requestedAt: number;
  /** The rules of the organization, where they were read for several plans. */
  readonly rules?: PlanRules;
  /** A replay after a restore: floors no longer matter, because the deletion was allowed when it was completed. */
  readonly isReplay: boolean;
}

export interface PlanRules {
  readonly confidential: ReadonlySet<ResourceType>;
  readonly hasHolds: boolean;
  readonly floors: readonly RetentionFloor[];
}

/** Nobody changes them until the end of the transaction: on PostgreSQL the caller has locked the plans of the organization. */
export function* readRules(organizationId: string): Statements<PlanRules> {
  return {
    confidential: yield* readConfidentialTypes(organizationId),
    hasHolds: yield* hasHolds(organizationId),
    floors: yield* listFloors(organizationId),
  };
}

export function planningOf(
  deletion: Deletion,
  now: number,
  confidential: ReadonlySet<ResourceType>,
): Planning {
  const { deletionRequestId, organizationId, restrictedOf, requestedAt } = deletion;
  const root = nodeKey(deletion.resourceType, deletion.resourceId);
  const isReplay = deletion.carriedOutBefore !== undefined;
  const asked = { deletionRequestId, organizationId, restrictedOf, root };
  return { ...asked, now, requestedAt, isReplay, confidential };
}

/**
 * True for a record whose hold or floor must not delay the deletion, because a delay would disclose it. If the deletion is of the
 * report itself, nobody who may not know of the report knows of the deletion.
 */
export function isKeptSilently(node: NodeKey, { root, confidential }: Planning): boolean {
  return node !== root && confidential.has(parseNodeKey(node).type);
}

/**
 * What prevents the plan from being processed now: the first hold, or else the floor that ends last. With `bounded`, the result
 * is `too_long` where a long history would have to be read.
 */
export function* findObstacle(
  { erase, redact }: ErasurePlan,
  planning: Planning,
  { bounded }: { readonly bounded: boolean },
): Statements<Obstacle | "too_long" | undefined> {
  const redacted = redact.map(({ record }) => record);
  const held =
    (yield* findHoldObstacle([...erase, ...redacted], planning)) ??
    (yield* findNamingObstacle(erase, planning));
  if (held !== undefined) return held;
  const { organizationId } = planning;
  const floors = planning.rules?.floors ?? (yield* listFloors(organizationId));
  if (floors.length === 0) return undefined;
  const silent = redacted.filter((node) => isKeptSilently(node, planning));
  const records = [...erase, ...silent].map((node) => toKey(organizationId, node));
  if (bounded && (yield* needsLongHistory({ floors, records }))) return "too_long";
  const floored = yield* findFloorObstacle(erase, planning, floors);
  if (floored !== undefined) return floored;
  // Once more with the records locked: a change of one of them may be about to be committed.
  const types = new Set(floors.map(({ resourceType }) => resourceType));
  const isLocked = yield* lock(records.filter(({ resourceType }) => types.has(resourceType)));
  return isLocked ? yield* findFloorObstacle(erase, planning, floors) : undefined;
}

/** The first hold on any of these records. */
export function* findHoldObstacle(
  nodes: readonly NodeKey[],
  planning: Planning,
): Statements<Obstacle | undefined> {
  const { organizationId, rules } = planning;
  if (!(rules?.hasHolds ?? (yield* hasHolds(organizationId)))) return undefined;
  const visible = nodes.filter((node) => !isKeptSilently(node, planning));
  for (let at = 0; at < visible.length; at += nodesAtOnce) {
    const keys = visible.slice(at, at + nodesAtOnce).map((node) => toKey(organizationId, node));
    const hold = yield* findFirstHeld(keys);
    if (hold === undefined) continue;
    return { waitingFor: `a hold on ${hold.resourceType} ${hold.resourceId}`, held: true };
  }
  return undefined;
}

/** A hold on a record that names one of these parties, whose id it has to preserve. */
export function* findNamingObstacle(
  nodes: readonly NodeKey[],
  { organizationId, rules }: Planning,
): Statements<Obstacle | undefined> {
  for (const { type, id } of nodes.map(parseNodeKey)) {
    if (!isPartyType(type) || !(rules?.hasHolds ?? (yield* hasHolds(organizationId)))) continue;
    const place = yield* findHeldNaming(organizationId, id);
    if (place === undefined) continue;
    const { resourceType, resourceId } = place;
    return { waitingFor: `a hold on ${resourceType} ${resourceId}`, held: true };
  }
  return undefined;
}

/** The floor of these records that ends last, unless it has ended. Only records that are erased count, not redacted ones. */
export function* findFloorObstacle(
  nodes: readonly NodeKey[],
  planning: Planning,
  floors: readonly RetentionFloor[],
): Statements<Obstacle | undefined> {
  const { organizationId, now, requestedAt, isReplay } = planning;
  if (isReplay || floors.length === 0) return undefined;
  const visible = nodes.filter((node) => !isKeptSilently(node, planning));
  const records = visible.map((node) => toKey(organizationId, node));
  const floor = yield* findLatestFloor({ floors, records, requestedAt });
  if (floor === undefined || floor.until <= now) return undefined;
  const waitingFor = describeFloor(floor, floor.resourceId, floor.until);
  return { waitingFor, held: false, floorUntil: floor.until };
}

export function toKey(organizationId: string, node: NodeKey): RecordKey {
  const { type, id } = parseNodeKey(node);
  return { organizationId, resourceType: type, resourceId: id };
}
