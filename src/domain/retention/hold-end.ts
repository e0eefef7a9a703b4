// When a legal hold ends by itself: the last date on which it holds, in UTC, and how far ahead that date may be. Pure;
// knows no store and no clock.

import { dateOf, dayMs } from "../../basics/duration.ts";
import type { Hold } from "../access.ts";

/** Regulation (EU) 2024/1624, article 77: an authority may require at most another five years. */
export const holdYearsMax = 5;

/** A hold that ends within this time is shown as ending soon. */
export const holdWarningDays = 30;

/** The same date of a later year, or the last day of February. */
export function latestEnd(now: number): string {
  const latest = new Date(now);
  const month = latest.getUTCMonth();
  latest.setUTCFullYear(latest.getUTCFullYear() + holdYearsMax);
  // Otherwise, 29 February becomes 1 March.
  if (latest.getUTCMonth() !== month) latest.setUTCDate(0);
  return dateOf(latest.getTime());
}

/** The last date of the quarter, or that of the warning if it is later: what ends by then is work of the quarter. */
export function lastDateOfQuarter(now: number): string {
  const today = new Date(now);
  const nextQuarter = 3 * (Math.floor(today.getUTCMonth() / 3) + 1);
  const last = dateOf(Date.UTC(today.getUTCFullYear(), nextQuarter, 0));
  return last > lastSoonDate(now) ? last : lastSoonDate(now);
}

/** A hold has ended on the day after its last date. */
export function hasEnded({ endsOn }: Pick<Hold, "endsOn">, now: number): boolean {
  return endsOn !== undefined && endsOn < dateOf(now);
}

/** Holds whose last date is at most this one end soon. */
export function lastSoonDate(now: number): string {
  return dateOf(now + holdWarningDays * dayMs);
}
