// Finds the UTC offset of a time zone at a local time, with Temporal: the runtime's own, or a polyfill on older Node.

const { Temporal } =
  "Temporal" in globalThis ? globalThis : await import("temporal-polyfill/implementation");

/** Those that stand for one offset; CST, IST and BST are used for several. */
export const zoneAbbreviations: Readonly<Record<string, string>> = {
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
};

const daysMax = 10_000;
const days = new Map<string, string | undefined>();

/**
 * The result is written as in RFC 3339. `zone` is an abbreviation, an offset or a name such as Europe/Berlin; `local` a
 * time in the calendar, such as `2026-01-31T09:30:00`. If clocks went back and it exists twice, the first counts; if
 * they went forward and it does not exist, there is no offset. Throws RangeError if there is no such zone.
 */
export function offsetIn(zone: string, local: string): string | undefined {
  if (Object.hasOwn(zoneAbbreviations, zone)) return zoneAbbreviations[zone];
  const [, hours, minutes = "00"] = /^([+-](?:[01]\d|2[0-3])):?([0-5]\d)?$/.exec(zone) ?? [];
  if (hours !== undefined) return `${hours}:${minutes}`;
  if (!zone.includes("/")) throw new RangeError(zone);
  const day = local.slice(0, "0000-00-00".length);
  const key = `${day} ${zone}`;
  if (!days.has(key)) {
    if (days.size >= daysMax) days.clear();
    days.set(key, offsetOfDay(zone, day));
  }
  return days.get(key) ?? offsetAt(zone, local);
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
