// Divides the time of one thread between tasks: each task does a small step per turn, organizations take turns, and messages
// are received between two turns.

import { FairLane } from "../../domain/fair-lane.ts";

export class Turns {
  readonly #waiting = new FairLane<() => void>(1);
  #scheduled = false;

  /** Resolves when it is this organization's turn, which lasts until the caller's next `await`. */
  next(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ item: resolve, organizationId, rows: 1, bytes: 0 });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the events that have already arrived.
    setImmediate(() => {
      this.#scheduled = false;
      const next: (() => void)[] = [];
      this.#waiting.take(next, () => next.length === 0);
      next[0]?.();
      if (this.#waiting.size > 0) this.#schedule();
    });
  }
}
