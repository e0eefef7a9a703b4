// Lets many pieces of work share one thread: each does a little in its turn, organizations take turns with one another, and
// between two turns messages arrive. Knows nothing of the work.

import { FairLane } from "../../domain/fair-lane.ts";

export class Turns {
  readonly #waiting = new FairLane<() => void>(1);
  #scheduled = false;

  /** Resolves when it is this organization's turn; what runs until the next `await` is the turn. */
  next(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ item: resolve, organizationId, rows: 1, bytes: 0 });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Behind whatever has arrived by now.
    setImmediate(() => {
      this.#scheduled = false;
      const taken: (() => void)[] = [];
      this.#waiting.take(taken, () => taken.length === 0);
      taken[0]?.();
      if (this.#waiting.size > 0) this.#schedule();
    });
  }
}
