// Finds the UTC offset of a time zone at a local time, with Temporal: the runtime's own, or a polyfill on older Node.

import { createRequire } from "node:module";

type Polyfill = typeof import("temporal-polyfill/implementation");

// An awaited import would end the process if a thread were ended while it loads this.
const { Temporal } =
  "Temporal" in globalThis
    ? globalThis
    : (createRequire(import.meta.url)("temporal-polyfill/implementation") as Polyfill);

/** Those that stand for one offset, or one zone; CST, IST and BST are used for several. */
export const zoneNames: Readonly<Record<string, string>> = {
  Z: "Z",
  UTC: "Z",
  GMT: "Z",
  WET: "+00:00",
  WEST: "+01:00",
  CET: "+01:00",
  CEST: "+02:00",
  EET: "+02:00",
  EEST: "+03:00",
  EST: "-05:00",
  EDT: "-04:00",
  PST: "-08:00",
  PDT: "-07:00",
  JST: "+09:00",
  AEST: "+10:00",
  AEDT: "+11:00",
  "Eastern Time (US & Canada)": "America/New_York",
  "Central Time (US & Canada)": "America/Chicago",
  "Mountain Time (US & Canada)": "America/Denver",
  "Pacific Time (US & Canada)": "America/Los_Angeles",
};

const daysMax = 10_000;
let daysKnown = 0;
const offsets = new Map<string, Map<string, string | undefined>>();

/**
 * The result is written as in RFC 3339. `given` is a name of the table, an offset or a name such as Europe/Berlin;
 * `local` a time in the calendar, such as `2026-01-31T09:30:00`. If clocks went back and it exists twice, the first
 * counts; if they went forward and it does not exist, there is no offset. Throws RangeError if there is no such zone.
 */
export function offsetIn(given: string, local: string): string | undefined {
  const zone = Object.hasOwn(zoneNames, given) ? (zoneNames[given] ?? given) : given;
  if (!zone.includes("/")) return fixedOffset(zone);
  const day = local.slice(0, "0000-00-00".length);
  if (offsets.get(zone)?.has(day) !== true) keepOffset(zone, day);
  return knownOffset(zone, day) ?? offsetAt(zone, local);
}

/** The offset of a day on which clocks did not change, if it was found before. */
export function knownOffset(zone: string, day: string): string | undefined {
  return offsets.get(zone)?.get(day);
}

function fixedOffset(zone: string): string {
  if (zone === "Z") return zone;
  const [, sign, hours, minutes = "00"] =
    /^(?:UTC|GMT)?([+-])(\d|[01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(zone) ?? [];
  if (hours === undefined) throw new RangeError(zone);
  return `${sign}${hours.padStart(2, "0")}:${minutes}`;
}

function keepOffset(zone: string, day: string): void {
  const offset = offsetOfDay(zone, day);
  if (daysKnown === daysMax) offsets.clear();
  daysKnown = (daysKnown % daysMax) + 1;
  const known = offsets.get(zone) ?? new Map<string, string | undefined>();
  offsets.set(zone, known.set(day, offset));
}

function offsetOfDay(zone: string, day: string): string | undefined {
  const midnight = Temporal.PlainDateTime.from(day);
  const start = midnight.toZonedDateTime(zone);
  const change = start.getTimeZoneTransition("next");
  // A transition at the end of the day may have removed its last hour.
  const isSteady =
    start.toPlainDateTime().equals(midnight) &&
    (change === null || Temporal.ZonedDateTime.compare(change, start.add({ days: 1 })) > 0);
  return isSteady ? textOf(start) : undefined;
}

/** `earlier` chooses the first of two times; if the local time does not exist, the result is another time. */
function offsetAt(zone: string, local: string): string | undefined {
  const wanted = Temporal.PlainDateTime.from(local);
  const found = wanted.toZonedDateTime(zone, { disambiguation: "earlier" });
  return found.toPlainDateTime().equals(wanted) ? textOf(found) : undefined;
}

/** Rounds offsets with seconds, from before standard time zones, because RFC 3339 has none. */
function textOf(moment: { toString(options: { timeZoneName: "never" }): string }): string {
  return moment.toString({ timeZoneName: "never" }).slice(-"+00:00".length);
}
