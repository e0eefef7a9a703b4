// The metrics of a process: counters, gauges and histograms, as plain data and in the Prometheus text format 0.0.4. An
// observation costs one lookup and one addition. Never renders a value that is not a finite number.

type LabelValue = string | number;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  /** At most two. Their values come from the code and never from a client, so the number of series is bounded. */
  readonly labels?: readonly string[];
}

interface HistogramOptions extends MetricOptions {
  /** Upper bounds, in order. */
  readonly buckets: readonly number[];
}

export interface SeriesSnapshot {
  readonly labels: Readonly<Record<string, string>>;
  /** The value; for a histogram, the sum of the observed values. */
  readonly value: number;
  /** The observations of a histogram per bucket, not cumulative; the last bucket is above all bounds. */
  readonly counts?: readonly number[] | undefined;
}

export interface FamilySnapshot extends Omit<MetricOptions, "labels"> {
  readonly type: "counter" | "gauge" | "histogram";
  readonly buckets?: readonly number[] | undefined;
  readonly series: readonly SeriesSnapshot[];
}

export type Snapshot = readonly FamilySnapshot[];

export class Scalar {
  value = 0;
  readonly counts = undefined;

  add(count = 1): void {
    this.value += count;
  }

  set(value: number): void {
    this.value = value;
  }
}

export class Histogram {
  readonly #buckets: readonly number[];
  readonly counts: number[];
  value = 0;

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets;
    this.counts = Array.from({ length: buckets.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#buckets.length && value > (this.#buckets[index] ?? Infinity)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.value += value;
  }
}

export class Family<Series extends Pick<SeriesSnapshot, "value" | "counts">> {
  readonly #head: Omit<FamilySnapshot, "series">;
  readonly #labels: readonly string[];
  readonly #make: () => Series;
  readonly #byFirst = new Map<LabelValue, Map<LabelValue, Series>>();

  constructor(
    type: FamilySnapshot["type"],
    { labels = [], ...head }: MetricOptions & Partial<HistogramOptions>,
    make: () => Series,
  ) {
    this.#head = { ...head, type };
    this.#labels = labels;
    this.#make = make;
  }

  /** The series with these label values; created on first use. */
  with(first: LabelValue = "", second: LabelValue = ""): Series {
    let bySecond = this.#byFirst.get(first);
    if (bySecond === undefined) this.#byFirst.set(first, (bySecond = new Map()));
    let series = bySecond.get(second);
    if (series === undefined) bySecond.set(second, (series = this.#make()));
    return series;
  }

  clear(): void {
    this.#byFirst.clear();
  }

  snapshot(): FamilySnapshot {
    const series = [...this.#byFirst].flatMap(([first, bySecond]) =>
      [...bySecond].map(([second, { value, counts }]): SeriesSnapshot => {
        const values = [first, second];
        const labels = this.#labels.map((name, index) => [name, String(values[index])]);
        return { labels: Object.fromEntries(labels), value, counts };
      }),
    );
    return { ...this.#head, series };
  }
}

/** If there is a label, `read` returns a value for each of its values. Undefined: not known, so there is no series. */
type Observed = readonly [
  help: string,
  read: () => number | Readonly<Record<string, number>> | undefined,
  label?: string,
];

export class Registry {
  readonly #families: { snapshot(): FamilySnapshot }[] = [];
  readonly #collectors: (() => unknown)[] = [];

  counters(options: MetricOptions): Family<Scalar> {
    return this.#add(new Family("counter", options, () => new Scalar()));
  }

  gauges(options: MetricOptions): Family<Scalar> {
    return this.#add(new Family("gauge", options, () => new Scalar()));
  }

  histograms(options: HistogramOptions): Family<Histogram> {
    return this.#add(new Family("histogram", options, () => new Histogram(options.buckets)));
  }

  counter(options: MetricOptions): Scalar {
    return this.counters(options).with();
  }

  gauge(options: MetricOptions): Scalar {
    return this.gauges(options).with();
  }

  histogram(options: HistogramOptions): Histogram {
    return this.histograms(options).with();
  }

  /** Reads counters or gauges, by name, at each snapshot. */
  observe(type: "counter" | "gauge", metrics: Readonly<Record<string, Observed>>): void {
    for (const [name, [help, read, label]] of Object.entries(metrics)) {
      const options = { name, help, labels: label === undefined ? [] : [label] };
      const family = type === "counter" ? this.counters(options) : this.gauges(options);
      this.onSnapshot(() => {
        const found = read();
        const values = typeof found === "number" ? { "": found } : found;
        if (values === undefined) return family.clear();
        for (const [value, count] of Object.entries(values)) family.with(value).set(count);
      });
    }
  }

  /** A gauge whose value is always 1: its labels, of any number, carry the information. */
  info(head: Pick<MetricOptions, "name" | "help">, labels: SeriesSnapshot["labels"]): void {
    const family: FamilySnapshot = { ...head, type: "gauge", series: [{ labels, value: 1 }] };
    this.#families.push({ snapshot: () => family });
  }

  /** Runs before each snapshot, in the order of registration; a promise is awaited. */
  onSnapshot(collect: () => unknown): void {
    this.#collectors.push(collect);
  }

  async snapshot(): Promise<Snapshot> {
    for (const collect of this.#collectors) await collect();
    return this.#families.map((family) => family.snapshot());
  }

  #add<Kind extends { snapshot(): FamilySnapshot }>(family: Kind): Kind {
    this.#families.push(family);
    return family;
  }
}

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

export function renderSnapshot(snapshot: Snapshot): string {
  return snapshot.map(renderFamily).join("");
}

function renderFamily({ name, help, type, series, buckets = [] }: FamilySnapshot): string {
  const lines = series.flatMap(({ labels, value, counts }) => {
    if (counts === undefined) return line(name, labels, value);
    let cumulated = 0;
    const ofBuckets = [...buckets.map(String), "+Inf"].map((le, index) =>
      line(`${name}_bucket`, { ...labels, le }, (cumulated += counts[index] ?? 0)),
    );
    const [sum, count] = [`${name}_sum`, `${name}_count`];
    return [...ofBuckets, line(sum, labels, value), line(count, labels, cumulated)];
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function line(name: string, labels: SeriesSnapshot["labels"], value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`the metric ${name} is ${value}`);
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
