// Finds the UTC offset of a time zone at a local time, with Temporal: the runtime's own, or a polyfill on older Node.

import { UsageError } from "../../actions/operator/operator-error.ts";

const { Temporal } =
  "Temporal" in globalThis ? globalThis : await import("temporal-polyfill/implementation");

/** How many days and zones have a cached offset. */
const daysMax = 10_000;
const days = new Map<string, number | undefined>();

export function requireZone(zone: string): void {
  if (zone === "UTC" || /^[+-](?:[01]\d|2[0-3]):[0-5]\d$/.test(zone)) return;
  try {
    Temporal.PlainDate.from("2000-01-01").toZonedDateTime(zone);
  } catch {
    throw new UsageError(
      `There is no time zone ${zone}. A zone is UTC, an offset such as +01:00, or a name such as Europe/Berlin.`,
    );
  }
}

/**
 * `local` is a time in the calendar, such as `2026-01-31T09:30:00`. If clocks went back and it exists twice, the first
 * counts; if they went forward and it does not exist, there is none.
 */
export function offsetMinutesIn(zone: string, local: string): number | undefined {
  const day = local.slice(0, 10);
  const key = `${day} ${zone}`;
  if (!days.has(key)) {
    if (days.size >= daysMax) days.clear();
    days.set(key, offsetOfDay(zone, day));
  }
  return days.get(key) ?? offsetAt(zone, local);
}

/** Undefined for a day on which the offset changes. */
function offsetOfDay(zone: string, day: string): number | undefined {
  const midnight = Temporal.PlainDateTime.from(day);
  const start = midnight.toZonedDateTime(zone);
  const change = start.getTimeZoneTransition("next");
  // A transition at the end of the day may have removed its last hour.
  const isSteady =
    start.toPlainDateTime().equals(midnight) &&
    (change === null || Temporal.ZonedDateTime.compare(change, start.add({ days: 1 })) > 0);
  return isSteady ? minutesOf(start.offsetNanoseconds) : undefined;
}

/** `earlier` chooses the first of two times; if the local time does not exist, the result is another time. */
function offsetAt(zone: string, local: string): number | undefined {
  const wanted = Temporal.PlainDateTime.from(local);
  const found = wanted.toZonedDateTime(zone, { disambiguation: "earlier" });
  return found.toPlainDateTime().equals(wanted) ? minutesOf(found.offsetNanoseconds) : undefined;
}

/** Rounds offsets with seconds, from before standard time zones, because RFC 3339 has none. */
function minutesOf(nanoseconds: number): number {
  return Math.round(nanoseconds / 60_000_000_000);
}
