// The pace of erasing beside writers: while others write, steps are small and each is followed by a pause, so that
// writers keep most of the time of the store. Erases nothing.

import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "../../domain/limits.ts";
import type { Store } from "../../store/interface/store.ts";
import type { ErasureStep } from "../../store/interface/deletion.ts";

const restMsMax = 1_000;
/** About 18,000 of them are records: ten million in ten minutes. A higher rate would only take more from writers. */
const rowsPerSecondMax = 24_000;
/** How many deletions of records are completed in a second while others write, for the same reason. */
const deletionsPerSecondMax = 1_000;
/** How long others count as writing after their last write. */
const othersActiveMs = 500;

export interface PaceClock {
  /** Milliseconds from any beginning. */
  readonly now: () => number;
  /** Rejects if the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const realClock: PaceClock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

type Paced = Pick<ErasureStep, "latestArrival" | "notices" | "workMs">;

export class DeletionPace {
  readonly #pace: Store["traits"]["besideWriters"];
  #latestArrival: number | undefined;
  /** Arrival numbers that were taken, without those known to be taken by deletions. */
  #unknown = 0;
  /** How many numbers the completion in progress takes for notices at most. */
  #completing = 0;
  readonly #clock: PaceClock;
  #activeUntil: number;

  constructor({ store }: { readonly store: Pick<Store, "traits"> }, clock = realClock) {
    this.#pace = store.traits.besideWriters;
    this.#clock = clock;
    this.#activeUntil = clock.now() + othersActiveMs;
  }

  /** A closed organization does not write, so others have written if the number of changes has grown. */
  get #areOthersActive(): boolean {
    return this.#clock.now() < this.#activeUntil;
  }

  get rowsMax(): number {
    return this.#areOthersActive ? this.#pace.rowsMax : limits.organizationStepRowsAloneMax;
  }

  /** Pauses after a step that others may have waited for. Throws if it is stopped. */
  async rest(step: Paced, signal: AbortSignal): Promise<void> {
    await this.#rest(step, this.#pace.restTimes * step.workMs, signal);
  }

  /** Pauses after a step of the erasure of an organization, whose rate is limited. */
  async restOfOrganization(step: ErasureStep, signal: AbortSignal): Promise<void> {
    const { rowsMax, restTimes } = this.#pace;
    const shortest = (rowsMax / rowsPerSecondMax) * 1_000 - step.workMs;
    await this.#rest(step, Math.max(step.workMs * restTimes, shortest), signal);
  }

  /** Steps may see the numbers of notices before the completion that takes them has ended. */
  beginCompleting(noticesMax: number): void {
    this.#completing = noticesMax;
  }

  endCompleting(notices: number): void {
    this.#completing = 0;
    if (this.#latestArrival !== undefined) this.#unknown -= notices;
  }

  /** Pauses after deletions of records were completed, whose rate is limited as well. */
  async restOfCompleted(
    { count, tookMs }: { readonly count: number; readonly tookMs: number },
    signal: AbortSignal,
  ): Promise<void> {
    const ms = (count / deletionsPerSecondMax) * 1_000 - tookMs;
    if (ms > 0) await this.#sleep(ms, signal);
  }

  async #rest(step: Paced, ms: number, signal: AbortSignal): Promise<void> {
    const { latestArrival, notices = 0 } = step;
    if (this.#latestArrival !== undefined) {
      this.#unknown += latestArrival - this.#latestArrival - notices;
    }
    this.#latestArrival = latestArrival;
    if (this.#unknown > this.#completing) {
      this.#activeUntil = this.#clock.now() + othersActiveMs;
      this.#unknown = this.#completing;
    }
    await this.#sleep(ms, signal);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#areOthersActive) await this.#clock.sleep(Math.min(ms, restMsMax), signal);
  }
}
