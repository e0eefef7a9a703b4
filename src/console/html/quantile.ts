// Quantiles of durations that were counted in buckets.

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
