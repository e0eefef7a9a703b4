// Delays the replies to clients that keep exceeding their rate limit. A client that ignores Retry-After and retries as soon
// as it receives a reply would otherwise occupy the event loop with rejections and slow down all other clients.

/** The number of 429 replies to one organization or address that are sent without delay. */
export const rejectionsBurst = 50;
/** The rate of further replies. */
export const rejectionsPerSecond = 200;
/** The maximum delay of a reply. */
export const rejectionDelayMsMax = 1_000;
/** The maximum number of owners in memory; beyond it the oldest is dropped. */
export const ownersMax = 100_000;

/** The generic cell rate algorithm (ITU-T I.371): stores one time per owner, from which the next one follows. */
export class RejectionPace {
  /** When the next rejection of an owner is due, if it had no burst. The oldest entry is dropped first. */
  readonly #dueAt = new Map<string, number>();
  readonly #now: () => number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The delay of this rejection: 0 for the first ones, and at most `rejectionDelayMsMax`. */
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
