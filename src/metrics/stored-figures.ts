// The figures of the metrics that are read from the store. A snapshot reads a bounded amount for each, however large
// the store is: a longer read goes on after it, and takes at most a hundredth of the time.

import type { App } from "../actions/app.ts";
import { listEndingSoon } from "../actions/retention/holds.ts";
import { PacedRead, type Parts } from "../basics/paced-read.ts";
import type { DeletionFigures } from "../store/interface/deletion.ts";

/** Undefined: not known yet. */
export interface StoredFigures {
  readonly deletions: () => Promise<DeletionFigures | undefined>;
  /** How many legal holds will end soon. */
  readonly holdsEnding: () => Promise<number>;
}

/** `open`: returns the application, which is opened before the first snapshot. */
export function storedFigures(open: () => App): StoredFigures {
  const deletions = new PacedRead(countDeletions(open));
  return {
    deletions: () => deletions.latest(),
    holdsEnding: async () => (await listEndingSoon(open())).length,
  };
}

/** One query counts all deletions, but not in the thread that serves. A snapshot waits for it while there are few. */
const waitedForMax = 10_000;

function countDeletions(open: () => App): () => Parts<DeletionFigures> {
  let counted = 0;
  return async function* count() {
    if (counted > waitedForMax) yield;
    const { store, now } = open();
    const figures = await store.deletionFigures(now());
    counted = Object.values(figures.byStatus).reduce((sum, ofStatus) => sum + ofStatus, 0);
    return figures;
  };
}
