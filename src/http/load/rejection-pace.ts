// Spreads out the replies to clients that keep sending beyond their rate limit. A client that ignores Retry-After and sends
// again as soon as it is answered would otherwise keep the event loop busy with rejections, and everybody else waiting.

import { limits } from "../../domain/limits.ts";

/** The generic cell rate algorithm (ITU-T I.371): one time per owner, from which the next one follows. */
export class RejectionPace {
  /** When the next rejection of an owner is due, if it had no burst. The oldest entry is dropped first. */
  readonly #dueAt = new Map<string, number>();
  readonly #now: () => number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many milliseconds this rejection waits: 0 for the first ones, and at most `rejectionDelayMsMax`. */
  nextDelayMs(owner: string): number {
    const now = this.#now();
    const spacingMs = 1_000 / limits.rejectionsPerSecond;
    const earliest = now - limits.rejectionsBurst * spacingMs;
    const latest = now + limits.rejectionDelayMsMax;
    const dueAt = Math.min(latest, Math.max(earliest, this.#dueAt.get(owner) ?? earliest));
    this.#dueAt.delete(owner);
    this.#dueAt.set(owner, dueAt + spacingMs);
    if (this.#dueAt.size > limits.bucketsMax) this.#dropOldest();
    return Math.max(0, dueAt - now);
  }

  #dropOldest(): void {
    const [oldest] = this.#dueAt.keys();
    if (oldest !== undefined) this.#dueAt.delete(oldest);
  }
}
