// The plan of a deletion as the worker would make it now, made without writing anything: a dry run. It is the only
// answer to what a deletion would erase, what keeps it, and until when. Pure.

import type { KeyInOrganization } from "../record/record-write.ts";
import { mergeFloors, type RetentionFloor } from "../retention/floor.ts";
import { type Node, nodeKey, nodeKeyOf } from "./erasure.ts";

/** A dry run that reads no more relations than this is answered by the thread that serves. */
export const briefRelationsMax = 2_000;

/** The floor of a type, and when it ends for the last of its records. */
export type PlannedFloor = Pick<RetentionFloor, "resourceType" | "keepDays" | "countedFrom"> & {
  readonly until: number;
  /** Missing for a record that names the erased person or company. */
  readonly resourceId?: string;
};

/** Confidential reports that have to be kept, and what supports them. */
export interface PlannedRestriction {
  /** Records that move to the restricted store instead of being erased. */
  readonly moved: readonly Node[];
  /** Reports that stay in their place, unchanged. */
  readonly reports: readonly Node[];
  /** When the last floor of all of them ends; undefined without one. */
  readonly until: number | undefined;
  /** Whether any of them is under a hold, so that the end is not known. */
  readonly isHeld: boolean;
}

export interface DryRun {
  /** The records that are erased, the requested one first. */
  readonly erased: readonly Node[];
  /** The records that stay without a reference. */
  readonly redacted: readonly Node[];
  readonly restriction: PlannedRestriction;
  /** The ids of the records that stay with a pseudonym for the erased person or company. */
  readonly named: readonly string[];
  /** The records under a hold that prevents it. */
  readonly holds: readonly KeyInOrganization[];
  /** The floors that have not ended, by type, the last one first. */
  readonly floors: readonly PlannedFloor[];
  /** True if not everything could be read: then nothing is known about the rest. */
  readonly isCut: boolean;
}

/** Adds the next part of a dry run to the previous ones. A record with many changes may be in several parts. */
export function addPart(previous: DryRun, part: DryRun): DryRun {
  const floors = mergeFloors(byType(previous.floors), byType(part.floors));
  const holds = [...previous.holds, ...part.holds].map((one) => [nodeKeyOf(one), one] as const);
  return {
    ...previous,
    restriction: addReports(previous.restriction, part.restriction),
    named: [...new Set([...previous.named, ...part.named])],
    holds: [...new Map(holds).values()],
    floors: [...floors.values()].sort((one, other) => other.until - one.until),
    isCut: previous.isCut || part.isCut,
  };
}

/** A report that moves, or that a previous part has found, is not added again. */
function addReports(previous: PlannedRestriction, part: PlannedRestriction): PlannedRestriction {
  const known = new Set(
    [...previous.moved, ...previous.reports].map(({ type, id }) => nodeKey(type, id)),
  );
  const ends = [previous.until, part.until].filter((end) => end !== undefined);
  return {
    ...previous,
    reports: [
      ...previous.reports,
      ...part.reports.filter(({ type, id }) => !known.has(nodeKey(type, id))),
    ],
    until: ends.length === 0 ? undefined : Math.max(...ends),
    isHeld: previous.isHeld || part.isHeld,
  };
}

function byType(floors: readonly PlannedFloor[]): ReadonlyMap<string, PlannedFloor> {
  return new Map(floors.map((floor) => [floor.resourceType, floor]));
}
