// Divides long work, so that what others are waiting for is not delayed: after a part of the work it rests for as long
// as the part took.

import { setTimeout as sleep } from "node:timers/promises";

/** Rows of one statement of long work: it takes a few milliseconds, here and on the server. */
export const rowsAtOnceMax = 500;

/** Shorter work continues without a rest. */
const partMsMin = 4;
const restMsMax = 50;

export class Pace {
  #beganAt = performance.now();

  /** Call between two parts. */
  async rest(): Promise<void> {
    const tookMs = performance.now() - this.#beganAt;
    if (tookMs < partMsMin) return;
    await sleep(Math.min(tookMs, restMsMax));
    this.#beganAt = performance.now();
  }
}

/** Lists of at most `rowsAtOnceMax` rows; none for an empty list. */
export function* partsOf<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnceMax) yield rows.slice(at, at + rowsAtOnceMax);
}
