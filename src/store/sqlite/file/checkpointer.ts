// When the WAL is checkpointed while a store is served: in steps beside the writer, so that commits do not wait for them.
//
// state     what happens                                                        then
// idle      nothing was written since the last step                             waiting, at the next group
// waiting   until about stepFrames are new, or longestMs are over                stepping
// stepping  the file thread copies what is committed and syncs the file         waiting; ending, if the WAL is long
// ending    the writer copies the small rest, and begins the WAL anew           waiting
// paused    somebody needs the WAL as it is: nothing is under way               waiting, at the resume
//
// The WAL is pinned from the first step on, so that it begins anew only by `ending`: completing a deletion reads from it
// which pages were written, which would otherwise be lost whenever the writer rests for a moment.

import type { CheckpointProgress } from "./file-tasks.ts";

export interface CheckpointerParts {
  readonly step: () => Promise<CheckpointProgress>;
  readonly unpin: () => Promise<void>;
  /** Copies the rest in the writer; after it the next write begins the WAL anew, unless somebody still reads. */
  readonly end: () => Promise<void>;
  /** The next step tries again. */
  readonly onError: (error: unknown) => void;
}

/** Frames of 4 KiB that one step should copy. */
const stepFrames = 4_000;
const shortestMs = 20;
const longestMs = 1_000;
/** About 80 MB, from which on the WAL is ended as soon as little is left to copy. */
const walFramesWanted = 20_000;
const restFramesWanted = 1_000;
/** Steps in a row that try to leave little to the writer. */
const catchUpStepsMax = 3;

export class Checkpointer {
  readonly #parts: CheckpointerParts;
  #written = false;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #pauses = 0;
  #waitMs = longestMs;
  #stepEndedAt = performance.now();
  #last: CheckpointProgress = { walFrames: 0, copiedFrames: 0 };

  constructor(parts: CheckpointerParts) {
    this.#parts = parts;
  }

  /** To be called after each commit. */
  written(): void {
    this.#written = true;
    this.#schedule();
  }

  /** Resolves when nothing is under way and the WAL may be emptied by the caller. To be followed by `resume`. */
  async pause(): Promise<void> {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#working;
    await this.#parts.unpin();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#written) this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#working !== undefined || this.#pauses > 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#working = this.#work().finally(() => {
        this.#working = undefined;
        if (this.#written) this.#schedule();
      });
    }, this.#waitMs);
    this.#timer.unref();
  }

  async #work(): Promise<void> {
    try {
      this.#written = false;
      let progress = await this.#step();
      for (let steps = 1; isLong(progress) && this.#pauses === 0; steps += 1) {
        if (restOf(progress) <= restFramesWanted || steps === catchUpStepsMax) {
          await this.#parts.unpin();
          await this.#parts.end();
          this.#last = { walFrames: 0, copiedFrames: 0 };
          break;
        }
        progress = await this.#step();
      }
    } catch (error) {
      this.#waitMs = longestMs;
      this.#written = true;
      this.#parts.onError(error);
    }
  }

  async #step(): Promise<CheckpointProgress> {
    const progress = await this.#parts.step();
    const now = performance.now();
    const copied = progress.copiedFrames - this.#last.copiedFrames;
    this.#waitMs = waitMsAfter(copied, now - this.#stepEndedAt);
    this.#stepEndedAt = now;
    this.#last = progress;
    return progress;
  }
}

/** Until as many frames as a step should copy are new, if they come as fast as the last ones did. */
function waitMsAfter(copiedFrames: number, tookMs: number): number {
  // Nothing could be copied, as during a backup, or the WAL has begun anew.
  if (copiedFrames <= 0) return longestMs;
  return Math.min(longestMs, Math.max(shortestMs, (stepFrames / copiedFrames) * tookMs));
}

function isLong({ walFrames }: CheckpointProgress): boolean {
  return walFrames >= walFramesWanted;
}

function restOf({ walFrames, copiedFrames }: CheckpointProgress): number {
  return walFrames - copiedFrames;
}
