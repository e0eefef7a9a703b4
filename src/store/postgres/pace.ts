// Divides long work, so that other work is not delayed: after each part it pauses for as long as the part took.

import { setTimeout as sleep } from "node:timers/promises";

/** One statement of long work has at most this many rows: it takes a few milliseconds, here and on the server. */
export const rowsAtOnceMax = 500;

/** Work shorter than this gets no pause. */
const partMsMin = 4;
const pauseMsMax = 50;

export class Pace {
  #beganAt = performance.now();

  /** Call between two parts. */
  async pause(): Promise<void> {
    const tookMs = performance.now() - this.#beganAt;
    if (tookMs < partMsMin) return;
    await sleep(Math.min(tookMs, pauseMsMax));
    this.#beganAt = performance.now();
  }
}

/** Divides rows into lists of at most `rowsAtOnceMax`; an empty list has no parts. */
export function* partsOf<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnceMax) yield rows.slice(at, at + rowsAtOnceMax);
}
