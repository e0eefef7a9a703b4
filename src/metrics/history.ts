// The intake of this process over the last day, minute by minute, from its own metrics. Requests have no additional
// cost: the totals are read once a minute. Ends with the process.

import type { SeriesSnapshot } from "./registry.ts";

export interface IntakeTotals {
  readonly records: readonly SeriesSnapshot[];
  /** One series for each operation and status. */
  readonly requests: readonly SeriesSnapshot[];
  /** Upper bounds in seconds of the counts of requests. */
  readonly buckets: readonly number[];
}

export interface IntakeMinute {
  /** The end of the minute, Unix milliseconds. */
  readonly at: number;
  /** Changes stored, by record type. */
  readonly records: Readonly<Record<string, number>>;
  /** Replies, by status; without existence checks that found nothing. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Replies by their duration: counts per bucket; the last one is above all bounds. */
  readonly durations: readonly number[];
}

export interface IntakeHistory {
  /** Oldest first; the last minute has only begun. */
  read(): { readonly minutes: readonly IntakeMinute[]; readonly buckets: readonly number[] };
  stop(): void;
}

interface Sums {
  readonly records: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<string, number>;
  readonly durations: readonly number[];
}

const minutesMax = 24 * 60;

export interface HistoryOptions {
  readonly now: () => number;
  /** The operations whose replies count. */
  readonly operations: ReadonlySet<string>;
  /** The operations that check existence, whose 404 is an answer and not a refusal. */
  readonly existenceChecks: ReadonlySet<string>;
  readonly intervalMs?: number;
}

export function startHistory(
  read: () => IntakeTotals,
  { now, intervalMs = 60_000, ...shown }: HistoryOptions,
): IntakeHistory {
  const minutes: IntakeMinute[] = [];
  const sum = (): Sums => sumUp(read(), shown);
  let last = sum();
  const since = (): IntakeMinute => difference(sum(), last, now());
  const timer = setInterval(() => {
    minutes.push(since());
    if (minutes.length >= minutesMax) minutes.shift();
    last = sum();
  }, intervalMs);
  timer.unref();
  return {
    read: () => ({ minutes: [...minutes, since()], buckets: read().buckets }),
    stop: () => clearInterval(timer),
  };
}

function sumUp(
  { records, requests, buckets }: IntakeTotals,
  { operations, existenceChecks }: Pick<HistoryOptions, "operations" | "existenceChecks">,
): Sums {
  const byType = new Map<string, number>();
  for (const { labels, value } of records) byType.set(labels["resource_type"] ?? "", value);
  const statuses = new Map<string, number>();
  const durations = Array.from({ length: buckets.length + 1 }, () => 0);
  for (const { labels, counts = [] } of requests) {
    const { operation = "", status = "" } = labels;
    if (!operations.has(operation)) continue;
    const replies = counts.reduce((all, count) => all + count, 0);
    if (status !== "404" || !existenceChecks.has(operation)) {
      statuses.set(status, (statuses.get(status) ?? 0) + replies);
    }
    for (const [index, count] of counts.entries()) {
      durations[index] = (durations[index] ?? 0) + count;
    }
  }
  return { records: byType, statuses, durations };
}

function difference(after: Sums, before: Sums, at: number): IntakeMinute {
  return {
    at,
    records: subtract(after.records, before.records),
    statuses: subtract(after.statuses, before.statuses),
    durations: after.durations.map((count, index) => count - (before.durations[index] ?? 0)),
  };
}

function subtract(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  const entries = [...after].map(
    ([name, value]) => [name, value - (before.get(name) ?? 0)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value > 0));
}
