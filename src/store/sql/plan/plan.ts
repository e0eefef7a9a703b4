// What a deletion's plan consists of, and what keeps it from being processed: a legal hold, a retention floor, or a
// cascade that exceeds the limit. See erase/ for how plans are made and written.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import {
  describeFloor,
  laterFloor,
  type RetentionFloor,
  strictFloors,
} from "../../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import type { Place } from "../../interface/naming.ts";
import { keyText } from "../../shared/record-key.ts";
import {
  latestFloor,
  type ReadFloors,
  type RecordFloor,
  under,
} from "../retention/floor-origin.ts";
import type { Erasing } from "./relations.ts";

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
  /** The confidential types of the organization. */
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
  deletion: Deletion,
  now: number,
  confidential: ReadonlySet<ResourceType>,
): Planning {
  const { deletionRequestId, organizationId, restrictedOf, requestedAt } = deletion;
  const root = nodeKey(deletion.resourceType, deletion.resourceId);
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

/**
 * Why the plan can't be processed now: the first hold, or else the floor that ends last. The result is `too_long` if a
 * long history would have to be read.
 */
export function findObstacle(
  plan: ErasurePlan,
  planning: Planning,
  obligations: Obligations,
): Obstacle | "too_long" | undefined {
  const { erase, redact } = plan;
  const nodes = [...erase, ...redact.map(({ record }) => record)];
  const held = findHeld(nodes, planning, obligations);
  if (held !== undefined) return held;
  const { floors, long } = obligations;
  const isLong = recordsUnderFloor(plan, planning, floors).some((key) => long.has(keyText(key)));
  return isLong ? "too_long" : findFloorObstacle(plan, planning, obligations);
}

/** The first hold on any of these records. */
export function findHeld(
  nodes: readonly NodeKey[],
  planning: Planning,
  { holds }: Pick<Obligations, "holds">,
): Obstacle | undefined {
  const { organizationId } = planning;
  const isHeld = (node: NodeKey) => holds.has(keyText(toKey(organizationId, node)));
  const held = nodes.find((node) => isHeld(node) && !isKeptSilently(node, planning));
  return held && obstacleOfHold(toKey(organizationId, held));
}

export function obstacleOfHold({ resourceType, resourceId }: Place): Obstacle {
  return { waitingFor: `a hold on ${resourceType} ${resourceId}`, held: true };
}

/**
 * The floor of these records that ends last, unless it has ended. Records that only lose a reference count too, unless
 * their floor is redactable.
 */
export function findFloorObstacle(
  { erase, redact }: Pick<ErasurePlan, "erase" | "redact">,
  planning: Planning,
  { floors, origins }: Pick<ReadFloors, "floors" | "origins">,
): Obstacle | undefined {
  const { organizationId, now, requestedAt, isReplay } = planning;
  if (isReplay) return undefined;
  const find = (nodes: readonly NodeKey[], some: readonly RetentionFloor[]) => {
    const visible = nodes.filter((node) => !isKeptSilently(node, planning));
    const records = visible.map((node) => toKey(organizationId, node));
    return latestFloor({ floors: some, records, origins, requestedAt });
  };
  const redacted = redact.map(({ record }) => record);
  const found = laterFloor(find(erase, floors), find(redacted, strictFloors(floors)));
  return obstacleOfFloor(found, now);
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

/**
 * Records of the plan that a floor may keep from being erased or redacted. A report that has to be kept is never
 * redacted, whatever its floor allows.
 */
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
