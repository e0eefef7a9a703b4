// What a deletion's plan consists of, and what keeps it from being processed: a legal hold, a retention floor, or a
// cascade that exceeds the limit. record-plans.ts makes plans, write-plan.ts writes them.

import type { PlanSubject } from "../../../domain/deletion/deletion.ts";
import {
  type ErasurePlan,
  type NodeKey,
  parseNodeKey,
  nodeKeyOf,
} from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import {
  type KeyInOrganization,
  keyText,
  type RecordKey,
} from "../../../domain/record/record-write.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import {
  describeFloor,
  mergeFloors,
  type RetentionFloor,
  strictFloors,
} from "../../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import {
  latestFloors,
  type ReadFloors,
  type RecordFloor,
  under,
} from "../retention/floor-origin.ts";
import type { Erasing } from "./relations.ts";
import { nounOf } from "../../../domain/record-types.ts";

/** Why a plan can't be processed, as reported to operators. */
export interface Obstacle {
  readonly waitingFor: string;
  readonly held: boolean;
  /** When the retention floor ends that it waits for. */
  readonly floorUntil?: number;
  /** When it is evaluated again, unless the obstacle determines that. */
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

/** The deletion that a plan is made for, and the time. */
export interface Planning {
  readonly deletionRequestId: string;
  readonly organizationId: string;
  /** The organization whose rules apply to the deletion of a restricted set. */
  readonly restrictedOf: string | undefined;
  /** The record that was asked for. */
  readonly root: NodeKey;
  readonly confidential: ReadonlySet<ResourceType>;
  readonly now: number;
  readonly requestedAt: number;
  /** A replay after a restore: floors no longer matter, because the deletion was allowed when it was completed. */
  readonly isReplay: boolean;
}

/** What requires that records are kept, as far as it was read (obligation.ts). Keys of records are texts. */
export class Obligations {
  readonly floors: readonly RetentionFloor[];
  /** Records under a hold, including records of restricted sets. */
  readonly holds = new Set<string>();
  readonly origins = new Map<string, NormalisedTimestamp | undefined>();
  /** Records whose floors can't be evaluated, because their histories are long and were not read. */
  readonly long = new Set<string>();
  /** Reports that deletions in progress erase, without keeping them. */
  readonly erasing: Erasing[] = [];

  constructor(floors: readonly RetentionFloor[]) {
    this.floors = floors;
  }
}

export function planningOf(
  deletion: PlanSubject,
  now: number,
  confidential: ReadonlySet<ResourceType>,
): Planning {
  const { deletionRequestId, organizationId, restrictedOf, requestedAt } = deletion;
  const root = nodeKeyOf(deletion);
  const isReplay = deletion.processedBefore !== undefined;
  const asked = { deletionRequestId, organizationId, restrictedOf, root };
  return { ...asked, now, requestedAt, isReplay, confidential };
}

/**
 * True for a record whose hold or floor must not delay the deletion, because a delay would disclose it. If the deletion
 * is of the report itself, nobody who may not know of the report knows of the deletion.
 */
export function isKeptSilently(node: NodeKey, { root, confidential }: Planning): boolean {
  return node !== root && confidential.has(parseNodeKey(node).type);
}

/** What prevents a plan from being processed now. */
export interface Obstacles {
  /** The records under a hold that it would erase or change. */
  readonly holds: readonly KeyInOrganization[];
  /** The floors that have not ended: of each type the one that ends last, and the last of these first. */
  readonly floors: readonly RecordFloor[];
  /** Whether a long history would have to be read. */
  readonly isLong: boolean;
}

export function findObstacles(
  plan: ErasurePlan,
  planning: Planning,
  obligations: Obligations,
): Obstacles {
  const { erase, redact } = plan;
  const nodes = [...erase, ...redact.map(({ record }) => record)];
  const { floors, long } = obligations;
  return {
    holds: findHolds(nodes, planning, obligations),
    floors: findFloors(plan, planning, obligations),
    isLong: recordsUnderFloor(plan, planning, floors).some((key) => long.has(keyText(key))),
  };
}

function findHolds(
  nodes: readonly NodeKey[],
  planning: Planning,
  { holds }: Pick<Obligations, "holds">,
): readonly KeyInOrganization[] {
  if (holds.size === 0) return [];
  const { organizationId } = planning;
  return [...new Set(nodes)]
    .filter((node) => !isKeptSilently(node, planning))
    .map((node) => toKey(organizationId, node))
    .filter((key) => holds.has(keyText(key)));
}

/** The first hold, or else the floor that ends last. */
export function obstacleOf(
  { holds: [hold], floors: [floor] }: Pick<Obstacles, "holds" | "floors">,
  now: number,
): Obstacle | undefined {
  return hold === undefined ? obstacleOfFloor(floor, now) : obstacleOfHold(hold);
}

export function obstacleOfHold({ resourceType, resourceId }: KeyInOrganization): Obstacle {
  return { waitingFor: `a hold on ${nounOf(resourceType)} ${resourceId}`, held: true };
}

/** The floors that have not ended, the last one first, also of records that lose a reference, unless redactable. */
function findFloors(
  { erase, redact }: Pick<ErasurePlan, "erase" | "redact">,
  planning: Planning,
  { floors, origins }: Pick<ReadFloors, "floors" | "origins">,
): readonly RecordFloor[] {
  const { organizationId, now, requestedAt, isReplay } = planning;
  if (isReplay || floors.length === 0) return [];
  const find = (nodes: readonly NodeKey[], some: readonly RetentionFloor[]) => {
    const visible = nodes.filter((node) => !isKeptSilently(node, planning));
    const records = visible.map((node) => toKey(organizationId, node));
    return latestFloors({ floors: some, records, origins, requestedAt });
  };
  const redacted = redact.map(({ record }) => record);
  const latest = mergeFloors(find(erase, floors), find(redacted, strictFloors(floors)));
  return [...latest.values()]
    .filter(({ until }) => until > now)
    .sort((one, other) => other.until - one.until);
}

export function obstacleOfFloor(floor: RecordFloor | undefined, now: number): Obstacle | undefined {
  if (floor === undefined || floor.until <= now) return undefined;
  const waitingFor = describeFloor(floor, floor.resourceId, floor.until);
  return { waitingFor, held: false, floorUntil: floor.until };
}

/** The obstacle whose floor ends last. */
export function laterObstacle(
  one: Obstacle | undefined,
  other: Obstacle | undefined,
): Obstacle | undefined {
  return (other?.floorUntil ?? 0) > (one?.floorUntil ?? 0) ? other : one;
}

/** What a floor may protect. A report that has to be kept is never redacted, whatever its floor allows. */
export function recordsUnderFloor(
  { erase, redact }: ErasurePlan,
  planning: Planning,
  floors: readonly RetentionFloor[],
): readonly RecordKey[] {
  const redacted = redact.map(({ record }) => record);
  const silent = redacted.filter((one) => isKeptSilently(one, planning));
  const keys = (nodes: readonly NodeKey[]) =>
    nodes.map((node) => toKey(planning.organizationId, node));
  const kept = under(floors, keys([...erase, ...silent]));
  return [...kept, ...under(strictFloors(floors), keys(redacted))];
}

export function toKey(organizationId: string, node: NodeKey): RecordKey {
  const { type, id } = parseNodeKey(node);
  return { organizationId, resourceType: type, resourceId: id };
}
