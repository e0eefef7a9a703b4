// Times, durations and sizes as pages show them. The script of the console adds the viewer's own zone beside UTC.

import { dayMs, hourMs } from "../../basics/duration.ts";
import { formatCount } from "../../basics/format-count.ts";
import { type NormalisedTimestamp, unixMsOf } from "../../domain/timestamp.ts";
import { titleOf } from "../../domain/record-types.ts";
import { type Html, html, type HtmlValue, renderElement } from "./html.ts";

/** `2026-01-31 09:30 UTC`; a dash for no time. */
export function renderTime(unixMs: number | undefined): Html {
  return renderMoment(unixMs, 16);
}

/** A time of evidence in a list: the script of the console adds the viewer's own zone as a tooltip only. */
export function renderExactTime(unixMs: number | undefined): Html {
  return renderMoment(unixMs, 19, "exact");
}

/** A time in a list: the script of the console shows how long ago it was, and the exact time in a tooltip. */
export function renderAgo(unixMs: number | undefined): Html {
  return renderMoment(unixMs, 16, "ago");
}

function renderMoment(unixMs: number | undefined, characters: number, kind?: string): Html {
  if (unixMs === undefined) return html`<span>–</span>`;
  const iso = new Date(unixMs).toISOString();
  const text = `${iso.slice(0, characters).replace("T", " ")} UTC`;
  return renderElement("time", { class: kind, datetime: iso }, text);
}

export function renderTimestamp(timestamp: NormalisedTimestamp): Html {
  return renderTime(unixMsOf(timestamp));
}

/** Past and future steps in their order; steps without a time are omitted. `last`: further items. */
export function renderTimeline(
  steps: readonly (readonly [at: number | undefined, what: Html])[],
  { above, last }: { readonly above?: HtmlValue; readonly last?: HtmlValue } = {},
): Html {
  const known = steps
    .filter(([at]) => at !== undefined && at > 0)
    .toSorted(([one = 0], [other = 0]) => one - other);
  return html`<section aria-labelledby="course">
    <h2 id="course">Timeline</h2>
    ${above}
    <ol class="timeline">
      ${known.map(([at, what]) => html`<li>${what}<br />${renderTime(at)}</li>`)} ${last}
    </ol>
  </section>`;
}

const units = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** The duration in its largest unit, such as `3 hours`. */
export function formatDuration(milliseconds: number): string {
  const [name, length] = units.find(([, size]) => milliseconds >= size) ?? [];
  if (length === undefined) return "less than a second";
  return formatCount(Math.floor(milliseconds / length), name);
}

/** The duration in the largest unit that does not round it: `36 hours`, not `1 day`. */
export function formatExactDuration(milliseconds: number): string {
  const unit = units.find(([, size]) => milliseconds >= size && milliseconds % size === 0);
  if (unit === undefined) return "none";
  return formatCount(milliseconds / unit[1], unit[0]);
}

/** `Person 12, Transaction 1,234`; empty for nothing. Numbers above `max` were not counted further. */
export function formatCounts(
  counts: Readonly<Partial<Record<string, number>>>,
  max = Infinity,
): string {
  const types = Object.entries(counts).map(
    ([type, n = 0]) =>
      `${titleOf(type)} ${n > max ? `more than ${formatNumber(max)}` : formatNumber(n)}`,
  );
  return types.join(", ");
}

export function formatBytes(bytes: number): string {
  const steps = ["bytes", "kB", "MB", "GB", "TB"];
  const step = Math.min(steps.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${steps[step] ?? ""}`;
}

export function formatNumber(value: number): string {
  return value.toLocaleString("en");
}

/**
 * The upper bound, in seconds, of the bucket that contains the quantile; undefined without observations, Infinity above
 * all bounds.
 */
export function quantile(
  counts: readonly number[],
  buckets: readonly number[],
  share: number,
): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (seen >= total * share) return buckets[index] ?? Infinity;
  }
  return Infinity;
}

/** `5 ms`, `1 s`, or `more than 10 s`. */
export function formatSeconds(seconds: number | undefined, buckets: readonly number[]): string {
  if (seconds === undefined) return "no requests";
  if (seconds === Infinity) return `more than ${buckets.at(-1) ?? 0} s`;
  return seconds < 1 ? `${seconds * 1_000} ms` : `${seconds} s`;
}
