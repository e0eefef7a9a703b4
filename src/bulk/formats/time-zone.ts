// The offset of a time zone at a local time, from the zones that Node knows. Where clocks went back and a local time is
// there twice, the first counts; where they went forward and it is not there, there is no offset.

import { UsageError } from "../../actions/operator-error.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Offsets change at quarters of an hour. */
const slotMs = 15 * minuteMs;
const slotsMax = 10_000;

const known = new Map<string, number | undefined>();
const clocks = new Map<string, Intl.DateTimeFormat>();

export function requireZone(zone: string): void {
  if (zone === "UTC" || /^[+-](?:[01]\d|2[0-3]):[0-5]\d$/.test(zone)) return;
  try {
    clockOf(zone);
  } catch {
    throw new UsageError(
      `There is no time zone ${zone}. A zone is UTC, an offset such as +01:00, or a name such as Europe/Berlin.`,
    );
  }
}

/** `localMs` is what the clock shows there, counted as if it were UTC. */
export function offsetMinutesIn(zone: string, localMs: number): number | undefined {
  const slot = Math.floor(localMs / slotMs) * slotMs;
  const key = `${slot} ${zone}`;
  if (known.has(key)) return known.get(key);
  if (known.size >= slotsMax) known.clear();
  const offset = findOffset(zone, slot);
  known.set(key, offset);
  return offset;
}

function findOffset(zone: string, localMs: number): number | undefined {
  const before = offsetAt(zone, localMs - dayMs);
  const after = offsetAt(zone, localMs + dayMs);
  return [before, after].find(
    (minutes) => offsetAt(zone, localMs - minutes * minuteMs) === minutes,
  );
}

function offsetAt(zone: string, unixMs: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(unixMs)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return Math.round((local - Math.floor(unixMs / 1_000) * 1_000) / minuteMs);
}

function clockOf(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    const two = "2-digit";
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: two,
      day: two,
      hour: two,
      minute: two,
      second: two,
    });
    clocks.set(zone, clock);
  }
  return clock;
}
