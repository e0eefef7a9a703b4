// Retention ceilings: after which time records are erased without a request. A ceiling is set for a type, or for every
// type of an organization; the ceiling of a type replaces the general one. Pure; knows no store and no clock.

import { dayMs } from "../../basics/duration.ts";
import { isPartyType } from "../deletion/party.ts";
import type { RecordType } from "../record-type.ts";
import { nounOf } from "../record-types.ts";
import { type NormalisedTimestamp, unixMsOf } from "../timestamp.ts";
import {
  type FloorOrigin,
  formatDays,
  originWords,
  type RetentionFloor,
  type RetentionRule,
} from "./floor.ts";

export interface Ceiling {
  readonly resourceType: string;
  /** Days of 24 hours. */
  readonly days: number;
  readonly countedFrom: FloorOrigin;
  /** Set for the type. Otherwise what belongs to the record, and was seen later, keeps it. */
  readonly isOwn: boolean;
}

type Rules = readonly Pick<RetentionRule, "resourceType" | "deleteAfterDays" | "countedFrom">[];

/** What the rules of an organization mean for its records: until when they are kept, and when they are erased. */
export interface RetentionBounds {
  readonly floors: readonly RetentionFloor[];
  /** In the order of their types. */
  readonly ceilings: readonly Ceiling[];
}

export function boundsOf(
  types: readonly Pick<RecordType, "resourceType">[],
  rules: readonly RetentionRule[],
  retainDays: number | undefined,
): RetentionBounds {
  const floors = rules.filter(({ keepDays }) => keepDays > 0);
  return { floors, ceilings: ceilingsOf(types, rules, retainDays) };
}

/** In the order of their types. `retainDays`: the ceiling for every type, if there is one. */
export function ceilingsOf(
  types: readonly Pick<RecordType, "resourceType">[],
  rules: Rules,
  retainDays: number | undefined,
): readonly Ceiling[] {
  const ceilings = types.map(({ resourceType }) => ceilingOf(resourceType, rules, retainDays));
  return ceilings
    .filter((ceiling) => ceiling !== undefined)
    .sort((one, other) => (one.resourceType < other.resourceType ? -1 : 1));
}

export function ceilingOf(
  resourceType: string,
  rules: Rules,
  retainDays: number | undefined,
): Ceiling | undefined {
  const own = rules.find((rule) => rule.resourceType === resourceType);
  if (own?.deleteAfterDays !== undefined) {
    const { deleteAfterDays: days, countedFrom } = own;
    return { resourceType, days, countedFrom, isOwn: true };
  }
  if (retainDays === undefined) return undefined;
  return { resourceType, days: retainDays, countedFrom: "last_seen", isOwn: false };
}

/** When a record reaches the ceiling, in Unix milliseconds. `from`: the time that the ceiling counts from. */
export function ceilingEnd({ days }: Pick<Ceiling, "days">, from: NormalisedTimestamp): number {
  return unixMsOf(from) + days * dayMs;
}

export function hasPassed(ceiling: Ceiling, from: NormalisedTimestamp, now: number): boolean {
  return isPast(ceiling, ceilingEnd(ceiling, from), now);
}

/** `end`: when the record reaches the ceiling. */
export function isPast({ isOwn }: Ceiling, end: number, now: number): boolean {
  return isOwn ? end <= now : end < now;
}

export function isEarlier(before: Ceiling | undefined, after: Ceiling | undefined): boolean {
  if (after === undefined) return false;
  const isSameKind = before?.countedFrom === after.countedFrom && before.isOwn === after.isOwn;
  return !isSameKind || after.days < before.days;
}

/** What a record is called that has no time to count from. */
const uncounted: Readonly<Partial<Record<FloorOrigin, string>>> = {
  closed: "One that is not closed",
  report_filed_at: "One that is not filed",
};

/** One to three sentences: the rule, what does not count, and whether references may be redacted. */
export function describeRule(rule: DescribedRule, retainDays: number | undefined): string {
  const redaction = rule.redactable ? " References in it may be redacted meanwhile." : "";
  return describeTimes(rule, retainDays) + redaction;
}

type DescribedRule = Omit<RetentionRule, "organizationId">;

function describeTimes(rule: DescribedRule, retainDays: number | undefined): string {
  const { resourceType, keepDays, countedFrom, deleteAfterDays } = rule;
  const from = originWords[countedFrom];
  const each = `Each ${nounOf(resourceType)}`;
  const kept =
    keepDays === 0 ? each : `${each} must be kept for ${formatDays(keepDays)} ${from}, and`;
  const unless = "unless a hold or a floor keeps it longer.";
  if (deleteAfterDays !== undefined) {
    const erased =
      keepDays === deleteAfterDays
        ? "is then erased without a request"
        : `is erased without a request ${formatDays(deleteAfterDays)} ${from}`;
    return `${kept} ${erased}, ${unless}${describeUncounted(rule, retainDays)}`;
  }
  const ceiling =
    retainDays === undefined
      ? "only when its deletion is requested."
      : `when its deletion is requested, at the latest ${formatDays(retainDays)} after it was last seen, ${unless}`;
  const after = keepDays === 0 ? "" : "after that ";
  return `${kept} is erased ${after}${ceiling}${describeUncounted(rule, retainDays)}`;
}

/** A record without the time that the rule counts from, or a customer who only pays and so is not seen. */
function describeUncounted(
  { resourceType, keepDays, countedFrom, deleteAfterDays }: DescribedRule,
  retainDays: number | undefined,
): string {
  const without = uncounted[countedFrom];
  const isRule = keepDays > 0 || deleteAfterDays !== undefined;
  if (without !== undefined && isRule) {
    const kept = `${without} is kept until its deletion is requested`;
    return keepDays === 0 ? ` ${kept}.` : ` ${kept}, and then for ${formatDays(keepDays)}.`;
  }
  const isCounted = isRule || retainDays !== undefined;
  return isCounted && isPartyType(resourceType)
    ? " Transactions that name it do not count as seeing it."
    : "";
}

/** The ceiling of types without their own, such as "none: records are kept until a deletion is requested". */
export function describeCommonCeiling(retainDays: number | undefined): string {
  return retainDays === undefined
    ? "none: records are kept until a deletion is requested"
    : `records are deleted ${formatDays(retainDays)} after they were last seen`;
}
