// Counters, gauges and histograms. An observation costs one lookup and one addition. A snapshot is plain data.

import type { FamilySnapshot, MetricType, SeriesSnapshot, Snapshot } from "./snapshot.ts";

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

/** The value of a counter or a gauge. */
export class Scalar {
  value = 0;

  add(count = 1): void {
    this.value += count;
  }

  set(value: number): void {
    this.value = value;
  }

  snapshot(): Pick<SeriesSnapshot, "value"> {
    return { value: this.value };
  }
}

export class Histogram {
  readonly #buckets: readonly number[];
  /** The count of each bucket, not cumulative; the last one counts values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets;
    this.#counts = Array.from({ length: buckets.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#buckets.length && value > (this.#buckets[index] ?? Infinity)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  snapshot(): Pick<SeriesSnapshot, "value" | "counts"> {
    return { value: this.#sum, counts: [...this.#counts] };
  }
}

interface Series {
  snapshot(): Omit<SeriesSnapshot, "labels">;
}

/** All series of one metric, by the values of its labels. */
export class Family<Kind extends Series> {
  readonly #options: Omit<FamilySnapshot, "series">;
  readonly #labels: readonly string[];
  readonly #make: () => Kind;
  readonly #byFirst = new Map<LabelValue, Map<LabelValue, Kind>>();

  constructor(
    type: MetricType,
    { name, help, labels = [], buckets }: MetricOptions & Partial<HistogramOptions>,
    make: () => Kind,
  ) {
    this.#options = { name, help, type, ...(buckets === undefined ? {} : { buckets }) };
    this.#labels = labels;
    this.#make = make;
  }

  /** The series with these label values; created on first use. */
  with(first: LabelValue = "", second: LabelValue = ""): Kind {
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
      [...bySecond].map(([second, one]): SeriesSnapshot => {
        const values = [first, second].slice(0, this.#labels.length);
        const labels = values.map((value, index) => [this.#labels[index] ?? "", String(value)]);
        return { labels: Object.fromEntries(labels), ...one.snapshot() };
      }),
    );
    return { ...this.#options, series };
  }
}

/**
 * A metric that is read. With a label, `read` returns a value for each label value. Undefined: it is not known, and has
 * no series.
 */
type Observed = readonly [
  help: string,
  read: () => number | Readonly<Record<string, number>> | undefined,
  label?: string,
];

/** The metrics of a process. */
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
  info(options: Pick<MetricOptions, "name" | "help">, labels: SeriesSnapshot["labels"]): void {
    const { name, help } = options;
    const series = [{ labels, value: 1 }];
    this.#families.push({ snapshot: () => ({ name, help, type: "gauge", series }) });
  }

  /** Runs before each snapshot, in the order of registration; a promise is awaited. */
  onSnapshot(collect: () => unknown): void {
    this.#collectors.push(collect);
  }

  async snapshot(): Promise<Snapshot> {
    for (const collect of this.#collectors) await collect();
    return this.#families.map((family) => family.snapshot());
  }

  #add<Kind extends Series>(family: Family<Kind>): Family<Kind> {
    this.#families.push(family);
    return family;
  }
}
