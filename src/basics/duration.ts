// An hour and a day in milliseconds, the dates of days, and durations as operators write them, such as 90d or 12h.

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The date in UTC, such as `2026-12-31`. */
export function dateOf(unixMs: number): string {
  return new Date(unixMs).toISOString().slice(0, 10);
}

const unitMs = { d: dayMs, h: hourMs, m: 60_000, s: 1_000 } as const;
const form = /^(\d{1,9})([dhms])$/;
const durationMsMax = 36_500 * unitMs.d;

/** Whether a wait until a noted time is over, or was noted before the clock was set back. `msMax`: the longest wait. */
export function isWaitOver(until: number | undefined, now: number, msMax: number): boolean {
  return until === undefined || until <= now || until > now + msMax;
}

/** Completes "It must be …". */
export const durationRule =
  "a whole number with a unit, d, h, m or s, such as 90d, 12h, 30m or 45s, and at most 36500d";

/** Milliseconds; undefined if the text is not valid. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = form.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit as keyof typeof unitMs] ?? Number.NaN);
  return ms <= durationMsMax ? ms : undefined;
}

export function formatDuration(ms: number): string {
  for (const [unit, size] of Object.entries(unitMs)) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${Math.round(ms / 1_000)}s`;
}
