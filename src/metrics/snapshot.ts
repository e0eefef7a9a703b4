// Metrics at one moment as plain data: combined over threads, and rendered in the Prometheus text format 0.0.4. Never
// renders a value that is not a finite number.

export type MetricType = "counter" | "gauge" | "histogram";

/** How the values of several threads are combined: their sum, the largest, or the first, as all have the same. */
export type Combination = "sum" | "max" | "same";

export interface SeriesSnapshot {
  readonly labels: Readonly<Record<string, string>>;
  /** Of a histogram: the sum of the observed values. */
  readonly value: number;
  /** Of a histogram: observations per bucket; the last bucket is above all bounds. */
  readonly counts?: readonly number[];
}

export interface FamilySnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly combine: Combination;
  readonly buckets?: readonly number[];
  readonly series: readonly SeriesSnapshot[];
}

export type Snapshot = readonly FamilySnapshot[];

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Families and series are in the order of their first appearance. */
export function combineSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const families = new Map<string, FamilySnapshot>();
  for (const family of snapshots.flat()) {
    const before = families.get(family.name);
    families.set(family.name, before === undefined ? family : combineFamilies(before, family));
  }
  return [...families.values()];
}

function combineFamilies(one: FamilySnapshot, other: FamilySnapshot): FamilySnapshot {
  const series = new Map(one.series.map((entry) => [labelText(entry.labels), entry]));
  for (const entry of other.series) {
    const key = labelText(entry.labels);
    const before = series.get(key);
    series.set(key, before === undefined ? entry : combineSeries(one.combine, before, entry));
  }
  return { ...one, series: [...series.values()] };
}

function combineSeries(
  combine: Combination,
  one: SeriesSnapshot,
  other: SeriesSnapshot,
): SeriesSnapshot {
  if (combine === "same") return one;
  if (combine === "max") return one.value >= other.value ? one : other;
  const { counts } = one;
  const value = one.value + other.value;
  if (counts === undefined) return { ...one, value };
  return { ...one, value, counts: counts.map((count, at) => count + (other.counts?.[at] ?? 0)) };
}

export function renderSnapshot(snapshot: Snapshot): string {
  return snapshot.map(renderFamily).join("");
}

function renderFamily(family: FamilySnapshot): string {
  const { name, help, type, series } = family;
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const entry of series) lines.push(...renderSeries(family, entry));
  return `${lines.join("\n")}\n`;
}

function renderSeries(
  { name, buckets = [] }: FamilySnapshot,
  { labels, value, counts }: SeriesSnapshot,
): readonly string[] {
  if (counts === undefined) return [line(name, labels, value)];
  let cumulated = 0;
  const bounds = [...buckets.map(String), "+Inf"];
  const lines = bounds.map((le, index) => {
    cumulated += counts[index] ?? 0;
    return line(`${name}_bucket`, { ...labels, le }, cumulated);
  });
  return [...lines, line(`${name}_sum`, labels, value), line(`${name}_count`, labels, cumulated)];
}

function line(name: string, labels: SeriesSnapshot["labels"], value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`the metric ${name} is ${value}`);
  return `${name}${labelText(labels)} ${value}`;
}

function labelText(labels: SeriesSnapshot["labels"]): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escape(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
