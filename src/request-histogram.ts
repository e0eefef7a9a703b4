// A latency histogram by operation and status that costs an observation one look-up and one increment; it stands in for
// prom-client's own, which hashes its labels each time, on the one path where that shows.

import { Histogram, type MetricType } from "prom-client";

const bucketSeconds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

interface Series {
  readonly operation: string;
  readonly status: number;
  readonly counts: number[];
  count: number;
  sum: number;
}

export class RequestHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Map<number, Series>>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  observe(operation: string, status: number, seconds: number): void {
    const series = this.#seriesOf(operation, status);
    series.count += 1;
    series.sum += seconds;
    let index = 0;
    while (index < bucketSeconds.length && seconds > (bucketSeconds[index] ?? Infinity)) index += 1;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
  }

  /** A prom-client metric that takes its values from here at each scrape. */
  asMetric(): Histogram {
    const metric = new Histogram({
      name: this.#name,
      help: this.#help,
      buckets: bucketSeconds,
      labelNames: ["operation", "status"],
      registers: [],
    });
    const get: Histogram["get"] = async () => ({
      name: this.#name,
      help: this.#help,
      type: "histogram" as unknown as MetricType,
      aggregator: "sum" as const,
      collect: () => undefined,
      values: [...this.#series.values()].flatMap((byStatus) =>
        [...byStatus.values()].flatMap((series) => this.#valuesOf(series)),
      ),
    });
    // prom-client asks the one for JSON and the other for text.
    return Object.assign(metric, { get, getForPromString: get });
  }

  #seriesOf(operation: string, status: number): Series {
    let byStatus = this.#series.get(operation);
    if (byStatus === undefined) this.#series.set(operation, (byStatus = new Map()));
    let series = byStatus.get(status);
    if (series === undefined) {
      const counts = Array.from({ length: bucketSeconds.length + 1 }, () => 0);
      byStatus.set(status, (series = { operation, status, counts, count: 0, sum: 0 }));
    }
    return series;
  }

  #valuesOf({ operation, status, counts, count, sum }: Series) {
    const labels = { operation, status };
    let cumulated = 0;
    const buckets = bucketSeconds.map((le, index) => {
      cumulated += counts[index] ?? 0;
      return { labels: { ...labels, le }, value: cumulated, metricName: `${this.#name}_bucket` };
    });
    return [
      ...buckets,
      { labels: { ...labels, le: "+Inf" }, value: count, metricName: `${this.#name}_bucket` },
      { labels, value: sum, metricName: `${this.#name}_sum` },
      { labels, value: count, metricName: `${this.#name}_count` },
    ];
  }
}
