// The clock of spans: Unix milliseconds with a fraction. It is monotonic, so that no span ends before it starts, and is
// corrected only when it has moved away from the clock of the system, which may itself be adjusted.

/** Smaller differences come from the resolution of the system's clock and the delay of reading both clocks. */
const driftMsMax = 20;

export class SpanClock {
  #offsetMs = performance.timeOrigin;

  now(): number {
    return this.#offsetMs + performance.now();
  }

  correct(systemMs = Date.now()): void {
    const driftMs = systemMs - this.now();
    if (Math.abs(driftMs) > driftMsMax) this.#offsetMs += driftMs;
  }
}
