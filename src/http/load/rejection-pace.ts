// Spreads out the replies to clients that keep sending beyond their rate limit. A client that ignores Retry-After and sends
// again as soon as it is answered would otherwise keep the event loop busy with rejections, and everybody else waiting.

/** Replies of 429 to one organization, or one address, that are sent at once. */
export const rejectionsBurst = 50;
/** How many follow in a second. */
export const rejectionsPerSecond = 200;
/** The longest that one of them waits. */
export const rejectionDelayMsMax = 1_000;
/** Owners in memory; beyond this number the oldest is dropped. */
export const ownersMax = 100_000;

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
    const spacingMs = 1_000 / rejectionsPerSecond;
    const earliest = now - rejectionsBurst * spacingMs;
    const latest = now + rejectionDelayMsMax;
    const dueAt = Math.min(latest, Math.max(earliest, this.#dueAt.get(owner) ?? earliest));
    this.#dueAt.delete(owner);
    this.#dueAt.set(owner, dueAt + spacingMs);
    if (this.#dueAt.size > ownersMax) this.#dropOldest();
    return Math.max(0, dueAt - now);
  }

  #dropOldest(): void {
    const [oldest] = this.#dueAt.keys();
    if (oldest !== undefined) this.#dueAt.delete(oldest);
  }
}
