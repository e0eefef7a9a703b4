// The metrics of /metrics as the message that OTLP exports them in: the same names, values and labels.

import type { FamilySnapshot, SeriesSnapshot, Snapshot } from "../../metrics/snapshot.ts";
import { type Origin, toKeyValues, toUnixNano } from "./otlp-message.ts";
import type { Message } from "./protobuf.ts";

/** Since the start of the process, as counters and histograms count (AggregationTemporality). */
const cumulative = 2;

export interface SnapshotTimes {
  /** When the process started to count. */
  readonly startedAtMs: number;
  readonly takenAtMs: number;
}

export function toMetricsMessage(
  origin: Origin,
  snapshot: Snapshot,
  { startedAtMs, takenAtMs }: SnapshotTimes,
): Message {
  const { resource, scope } = origin;
  const times = {
    startTimeUnixNano: toUnixNano(startedAtMs),
    timeUnixNano: toUnixNano(takenAtMs),
  };
  const metrics = snapshot
    .filter(({ series }) => series.length > 0)
    .map((family) => toMetric(family, times));
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] };
}

function toMetric(family: FamilySnapshot, times: Message): Message {
  const { name, help, type, series, buckets = [] } = family;
  const about = { name, description: help, unit: unitOf(name) };
  if (type === "histogram") {
    const dataPoints = series.map((entry) => toHistogram(entry, { buckets, times }));
    return { ...about, histogram: { dataPoints, aggregationTemporality: cumulative } };
  }
  const dataPoints = series.map(({ labels, value }) => ({
    ...times,
    asDouble: value,
    attributes: toKeyValues(labels),
  }));
  if (type === "gauge") return { ...about, gauge: { dataPoints } };
  return { ...about, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
}

function toHistogram(
  { labels, value, counts = [] }: SeriesSnapshot,
  { buckets, times }: { readonly buckets: readonly number[]; readonly times: Message },
): Message {
  return {
    ...times,
    count: String(counts.reduce((sum, count) => sum + count, 0)),
    sum: value,
    bucketCounts: counts.map(String),
    explicitBounds: buckets,
    attributes: toKeyValues(labels),
  };
}

/** In the notation of UCUM. The names of Prometheus end in their unit. */
function unitOf(name: string): string {
  const [, unit] = /_(seconds|bytes)(?:_total)?$/.exec(name) ?? [];
  if (unit === undefined) return "1";
  return unit === "seconds" ? "s" : "By";
}
