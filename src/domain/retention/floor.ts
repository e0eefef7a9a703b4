// Retention floors: how long the records of a type have to be kept, and when that ends for a record. Pure; knows no
// store and no clock.

import { dayMs } from "../../basics/duration.ts";
import { nounOf } from "../record-types.ts";
import { type NormalisedTimestamp, unixMsOf } from "../timestamp.ts";

/**
 * What a floor is counted from. last_seen: the record's last business timestamp. closed: when the account of a person
 * or a company was closed (floor-origin.ts). report_filed_at: the field of that name.
 */
export const floorOrigins = ["last_seen", "closed", "report_filed_at"] as const;
export type FloorOrigin = (typeof floorOrigins)[number];

/** States from when a rule counts. */
export const originWords: Readonly<Record<FloorOrigin, string>> = {
  last_seen: "from when it was last seen",
  closed: "from its closing",
  report_filed_at: "from its filing",
};

/** Puts words where a stored text says what a rule counts from. */
export function sayOrigin(text: string): string {
  return text.replaceAll(/(?<=\d days? )from (\w+)/g, (code, name: string) => {
    const origin = floorOrigins.find((one) => one === name);
    return origin === undefined ? code : originWords[origin];
  });
}

/** The floor of an organization for a record type; at most one for each. */
export interface RetentionFloor {
  readonly organizationId: string;
  readonly resourceType: string;
  /** Days of 24 hours. */
  readonly keepDays: number;
  readonly countedFrom: FloorOrigin;
  /** Whether a deletion may remove a reference or the id of a party from a record that the floor keeps. */
  readonly redactable: boolean;
}

/** The rule of an organization for a record type: a floor, a ceiling (ceiling.ts), or both from the same beginning. */
export interface RetentionRule extends RetentionFloor {
  /** 0 if there is no floor. */
  readonly keepDays: number;
  /** Missing if the type has no ceiling of its own. */
  readonly deleteAfterDays?: number;
}

/** The rule that an organization can choose for a type. */
export type FloorRule = Omit<RetentionRule, "organizationId" | "resourceType">;

/** Floors that protect every part of their records: a deletion that would redact one waits as if it erased it. */
export function strictFloors<Floor extends Pick<RetentionFloor, "redactable">>(
  floors: readonly Floor[],
): readonly Floor[] {
  return floors.filter(({ redactable }) => !redactable);
}

/** Whether a new rule of a type may let deletions erase or change records earlier than the floor of the old one. */
export function weakensFloor(before: FloorRule | undefined, after: FloorRule | undefined): boolean {
  if (before === undefined || before.keepDays === 0) return false;
  if (after === undefined || after.keepDays < before.keepDays) return true;
  return after.countedFrom !== before.countedFrom || (after.redactable && !before.redactable);
}

/**
 * When the floor of a record ends, in Unix milliseconds: the record may be erased at that time, and not before. `from`:
 * the value that the rule counts from. Without one the period begins with the deletion request, so that there is always
 * an end.
 */
export function floorEnd(
  { keepDays }: Pick<RetentionFloor, "keepDays">,
  from: NormalisedTimestamp | undefined,
  requestedAt: number,
): number {
  return (from === undefined ? requestedAt : unixMsOf(from)) + keepDays * dayMs;
}

export function laterFloor<Floor extends { readonly until: number }>(
  one: Floor | undefined,
  other: Floor | undefined,
): Floor | undefined {
  return (other?.until ?? 0) > (one?.until ?? 0) ? other : one;
}

export function mergeFloors<Floor extends { readonly until: number }>(
  some: ReadonlyMap<string, Floor>,
  others: ReadonlyMap<string, Floor>,
): ReadonlyMap<string, Floor> {
  const merged = new Map(some);
  for (const [key, floor] of others) merged.set(key, laterFloor(merged.get(key), floor) ?? floor);
  return merged;
}

/** "the retention floor of transaction tx-1: 1825 days from last_seen, until 2031-03-01" */
export function describeFloor(
  { resourceType, keepDays, countedFrom }: Omit<RetentionFloor, "organizationId" | "redactable">,
  resourceId: string,
  until: number,
): string {
  const [day] = new Date(until).toISOString().split("T");
  return (
    `the retention floor of ${nounOf(resourceType)} ${resourceId}: ` +
    `${formatDays(keepDays)} from ${countedFrom}, until ${day}`
  );
}

/** "the retention floor of a transaction that names it: 1825 days from last_seen, until 2031-03-01" */
export function describePartyFloor({
  until,
  ...floor
}: Parameters<typeof describeFloor>[0] & { readonly until: number }): string {
  const resourceType = `a ${nounOf(floor.resourceType)}`;
  return describeFloor({ ...floor, resourceType }, "that names it", until);
}

export function formatDays(days: number): string {
  return `${days.toLocaleString("en-US")} ${days === 1 ? "day" : "days"}`;
}
