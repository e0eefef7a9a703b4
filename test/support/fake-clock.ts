// A clock that advances only when a test moves it.

export interface FakeClock {
  /** Unix milliseconds. */
  readonly now: () => number;
  advanceMs(milliseconds: number): void;
}

export function makeFakeClock(startsAt: number = Date.UTC(2026, 5, 1, 12)): FakeClock {
  let time = startsAt;
  return {
    now: () => time,
    advanceMs: (milliseconds) => {
      time += milliseconds;
    },
  };
}
