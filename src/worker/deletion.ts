// The round that processes due deletions; the loop repeats it.

import type { App } from "../actions/app.ts";
import { DeletionPace } from "../actions/deletion/deletion-pace.ts";
import { processDeletions } from "../actions/deletion/process-deletions.ts";
import { type DeletionRoundOptions, reportAll } from "./report-deletions.ts";

/** The round returns true if more may be due. */
export function deletionRound(
  app: App,
  options: DeletionRoundOptions,
): (stopping: AbortSignal) => Promise<boolean> {
  const pace = new DeletionPace(app);
  const { trustedClock = async () => app.now } = options;
  return async (stopping) => {
    const now = await trustedClock();
    if (now === undefined) return false;
    // However long the round takes, a jump of the clock in it makes nothing due, and nothing is stored with its time.
    const all = await processDeletions(
      { ...app, now },
      {
        pace,
        claimant: options.claimant,
        stopping,
        onDone: (done) => reportAll(app, done, { ...options, stopping }),
      },
    );
    return all.length > 0;
  };
}
