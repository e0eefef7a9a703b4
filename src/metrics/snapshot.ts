// Metrics at one moment as plain data, rendered in the Prometheus text format 0.0.4. Never renders a value that is not
// a finite number.

export type MetricType = "counter" | "gauge" | "histogram";

export interface SeriesSnapshot {
  readonly labels: Readonly<Record<string, string>>;
  /** The value; for a histogram, the sum of the observed values. */
  readonly value: number;
  /** Present for a histogram: observations per bucket; the last bucket is above all bounds. */
  readonly counts?: readonly number[];
}

export interface FamilySnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  readonly buckets?: readonly number[];
  readonly series: readonly SeriesSnapshot[];
}

export type Snapshot = readonly FamilySnapshot[];

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

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
