// Counters, gauges and histograms, observed at the cost of one look-up and one addition. A snapshot of them is plain data,
// which can be posted between threads, combined with that of other threads, and rendered as text.

import type {
  Combination,
  FamilySnapshot,
  MetricType,
  SeriesSnapshot,
  Snapshot,
} from "./snapshot.ts";

type LabelValue = string | number;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  /** Values come from the code alone, never from a client, so the number of series is bounded by it. */
  readonly labels?: readonly string[];
  /** How the figures of several threads become one; they are added up if left out. */
  readonly combine?: Combination;
}

interface HistogramOptions extends MetricOptions {
  /** Upper bounds, in order. */
  readonly buckets: readonly number[];
}

export class Counter {
  value = 0;
  add(count = 1): void {
    this.value += count;
  }
  snapshot(): Pick<SeriesSnapshot, "value"> {
    return { value: this.value };
  }
}

export class Gauge {
  value = 0;
  set(value: number): void {
    this.value = value;
  }
  snapshot(): Pick<SeriesSnapshot, "value"> {
    return { value: this.value };
  }
}

export class Histogram {
  readonly #buckets: readonly number[];
  /** By bucket, the last one for what is beyond all bounds; not cumulative. */
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

/** The series of one name, by the values of its labels. */
export class Family<Kind extends Series> {
  readonly #options: Omit<FamilySnapshot, "series">;
  readonly #labels: readonly string[];
  readonly #make: () => Kind;
  readonly #byFirst = new Map<LabelValue, Map<LabelValue, Kind>>();

  constructor(
    type: MetricType,
    {
      name,
      help,
      labels = [],
      combine = "sum",
      buckets,
    }: MetricOptions & Partial<HistogramOptions>,
    make: () => Kind,
  ) {
    this.#options = { name, help, type, combine, ...(buckets === undefined ? {} : { buckets }) };
    this.#labels = labels;
    this.#make = make;
  }

  /** For up to two labels; made when it is first asked for. */
  with(first: LabelValue = "", second: LabelValue = ""): Kind {
    let bySecond = this.#byFirst.get(first);
    if (bySecond === undefined) this.#byFirst.set(first, (bySecond = new Map()));
    let series = bySecond.get(second);
    if (series === undefined) bySecond.set(second, (series = this.#make()));
    return series;
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

export class Registry {
  readonly #families: { snapshot(): FamilySnapshot }[] = [];
  readonly #collectors: (() => unknown)[] = [];

  counters(options: MetricOptions): Family<Counter> {
    return this.#add(new Family("counter", options, () => new Counter()));
  }

  gauges(options: MetricOptions): Family<Gauge> {
    return this.#add(new Family("gauge", options, () => new Gauge()));
  }

  histograms(options: HistogramOptions): Family<Histogram> {
    return this.#add(new Family("histogram", options, () => new Histogram(options.buckets)));
  }

  counter(options: MetricOptions): Counter {
    return this.counters(options).with();
  }

  gauge(options: MetricOptions): Gauge {
    return this.gauges(options).with();
  }

  histogram(options: HistogramOptions): Histogram {
    return this.histograms(options).with();
  }

  /** Runs before each snapshot, to set what is read and not counted; a promise is waited for. */
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
