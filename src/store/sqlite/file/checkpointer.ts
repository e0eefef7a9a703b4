// Schedules the checkpoints of a store that is served: in steps beside the writer, so that commits do not wait for
// them.
//
// state     what happens                                                    next
// idle      nothing was written since the last step                         waiting, at the next group
// waiting   until there are about stepFrames new frames, or longestMs       stepping
// stepping  the file thread copies committed frames and syncs the file      waiting; ending, if the WAL is long
// ending    the writer copies the few remaining frames, restarts the WAL    waiting
// paused    a caller needs an unchanged WAL: no step is in progress         waiting, after `resume`
//
// The WAL is pinned from the first step on, so that only `ending` restarts it: completing a deletion reads from the WAL
// which pages were written, and that would be lost whenever the writer is idle for a moment.

export interface CheckpointProgress {
  /** Frames in the WAL. */
  readonly walFrames: number;
  /** Frames that are copied into the database file. */
  readonly copiedFrames: number;
}

export interface CheckpointerParts {
  readonly step: () => Promise<CheckpointProgress>;
  /** Copies the rest in the writer and restarts the WAL, unless somebody still reads from it. */
  readonly end: (progress: CheckpointProgress) => Promise<void>;
}

/** How many frames of 4 KiB one step should copy. */
const stepFrames = 4_000;
const shortestMs = 20;
const longestMs = 1_000;
/** About 80 MB: a longer WAL is restarted as soon as few frames are left to copy. */
const walFramesWanted = 20_000;
const restFramesWanted = 1_000;
/** How many consecutive steps try to leave few frames to the writer. */
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

  written(): void {
    this.#written = true;
    this.#schedule();
  }

  /** Resolves when no step is in progress. Call `resume` afterwards. */
  async pause(): Promise<void> {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#working;
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
          await this.#parts.end(progress);
          this.#last = { walFrames: 0, copiedFrames: 0 };
          break;
        }
        progress = await this.#step();
      }
    } catch {
      // The next step tries again; what this one did not copy is just as durable in the WAL.
      this.#waitMs = longestMs;
      this.#written = true;
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

/** The time until there are enough new frames for a step, at the rate of the last ones. */
function waitMsAfter(copiedFrames: number, tookMs: number): number {
  // Nothing could be copied, as during a backup, or the WAL was restarted.
  if (copiedFrames <= 0) return longestMs;
  return Math.min(longestMs, Math.max(shortestMs, (stepFrames / copiedFrames) * tookMs));
}

function isLong({ walFrames }: CheckpointProgress): boolean {
  return walFrames >= walFramesWanted;
}

function restOf({ walFrames, copiedFrames }: CheckpointProgress): number {
  return walFrames - copiedFrames;
}
