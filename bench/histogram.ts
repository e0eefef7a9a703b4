// Counts latencies in buckets of 10 microseconds, so percentiles are exact to that width. Stores no samples.

const slotMs = 0.01;
const slots = 1_000_000;

export interface Histogram {
  add(milliseconds: number): void;
  /** The latency that this share of all samples did not exceed, in milliseconds; NaN without samples. */
  percentile(share: number): number;
}

export function makeHistogram(): Histogram {
  const counts = new Uint32Array(slots);
  let total = 0;
  return {
    add: (milliseconds) => {
      const slot = Math.min(slots - 1, Math.floor(milliseconds / slotMs));
      counts[slot] = (counts[slot] ?? 0) + 1;
      total += 1;
    },
    percentile: (share) => {
      let left = Math.ceil(total * share);
      if (left === 0) return Number.NaN;
      const slot = counts.findIndex((count) => (left -= count) <= 0);
      return (slot + 1) * slotMs;
    },
  };
}
