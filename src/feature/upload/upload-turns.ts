// Lets few uploads use a thread at a time, one for each person and each organization. People wait in turn.

import { FairQueue } from "../../basics/fair-queue.ts";
import { type NewUpload, notReady, stopOf, uploadLimits } from "./upload.ts";

type Whose = Pick<NewUpload, "ownerId" | "organizationId">;

interface QueuedUpload {
  readonly whose: Whose;
  readonly begin: () => void;
}

export class UploadTurns {
  readonly #atOnce: number;
  readonly #running = new Set<Whose>();
  readonly #waiting = new FairQueue<QueuedUpload>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Rejects like `work`, and with OperatorError if too many wait, or if it is stopped before. */
  async run<Result>(
    { ownerId, organizationId }: Whose,
    stopping: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const whose = { ownerId, organizationId };
    await this.#enter(whose, stopping);
    try {
      return await work();
    } finally {
      this.#running.delete(whose);
      this.#beginNext();
    }
  }

  async #enter(whose: Whose, stopping: AbortSignal): Promise<void> {
    if (this.#waiting.size >= uploadLimits.filesMax)
      throw notReady("Too many other files are waiting. Try again in a moment.");
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const place = this.#waiting.push(whose.ownerId, { whose, begin });
    const leave = (): void => {
      this.#waiting.remove(place);
      reject(stopOf(stopping));
    };
    stopping.addEventListener("abort", leave);
    this.#beginNext();
    await promise.finally(() => stopping.removeEventListener("abort", leave));
  }

  #beginNext(): void {
    for (const place of this.#waiting.inTurn()) {
      if (this.#running.size >= this.#atOnce) return;
      const { whose, begin } = place.item;
      if (this.#isTaken(whose)) continue;
      this.#waiting.take(place);
      this.#running.add(whose);
      begin();
    }
  }

  #isTaken({ ownerId, organizationId }: Whose): boolean {
    return [...this.#running].some(
      (other) => other.ownerId === ownerId || other.organizationId === organizationId,
    );
  }
}
