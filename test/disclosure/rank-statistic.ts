// Whether two series of measurements can be distinguished: the Mann-Whitney U test. Its effect size, the probability
// that a random value of one series exceeds one of the other, is 0.5 for series that can't.

export interface RankStatistic {
  /** P(second > first) + P(second = first) / 2. */
  readonly superiority: number;
  /** Standard deviations from 0.5, by the normal approximation without a correction for ties. */
  readonly deviations: number;
  /** How often series that do not differ deviate as much or more, to either side. */
  readonly p: number;
}

export function compareRanks(first: readonly number[], second: readonly number[]): RankStatistic {
  const all = [
    ...first.map((value) => ({ value, isSecond: false })),
    ...second.map((value) => ({ value, isSecond: true })),
  ].sort((one, other) => one.value - other.value);
  let rankSum = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to += 1;
    // Equal values share the mean of their ranks, which count from 1.
    const ties = all.slice(from, to).filter(({ isSecond }) => isSecond).length;
    rankSum += (ties * (from + 1 + to)) / 2;
    from = to;
  }
  const [m, n] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const spread = Math.sqrt((m * n * (m + n + 1)) / 12);
  const deviations = (u - (m * n) / 2) / spread;
  return {
    superiority: u / (m * n),
    deviations,
    p: errorComplement(Math.abs(deviations) / Math.SQRT2),
  };
}

/**
 * The complementary error function of a number that is not negative, by Simpson's rule: its integral from there on, and
 * what follows is less than a double can hold of it.
 */
function errorComplement(from: number): number {
  const [steps, width] = [2_000, 0.005];
  let sum = 0;
  for (let step = 0; step <= steps; step += 1) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 0 ? 2 : 4;
    sum += weight * Math.exp(-((from + step * width) ** 2));
  }
  return (2 / Math.sqrt(Math.PI)) * (width / 3) * sum;
}
