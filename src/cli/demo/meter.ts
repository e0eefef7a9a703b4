// Counts and times what a step of the demonstration sends, as its client sees it.

export interface StepFigures {
  readonly name: string;
  readonly requests: number;
  readonly records: number;
  readonly seconds: number;
  /** Of one request, without the time that the server asked to wait. */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** How often the answer was 429. */
  readonly waits: number;
}

export class Meter {
  #requestMs: number[] = [];
  #waits = 0;

  countRequest(ms: number): void {
    this.#requestMs.push(ms);
  }

  countWait(): void {
    this.#waits += 1;
  }

  /** What was counted since the last call. */
  take(name: string, { records, seconds }: { records: number; seconds: number }): StepFigures {
    const sorted = this.#requestMs.sort((one, other) => one - other);
    const figures = {
      name,
      requests: sorted.length,
      records,
      seconds,
      medianMs: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      waits: this.#waits,
    };
    this.#requestMs = [];
    this.#waits = 0;
    return figures;
  }
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
