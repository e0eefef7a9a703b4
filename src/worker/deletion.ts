// The round that processes deletions that are due, for the loop to repeat. Logs the result of each deletion request, never
// its record or its reason.

import type { App } from "../actions/app.ts";
import { DeletionPace } from "../actions/deletion/deletion-pace.ts";
import {
  describeCause,
  type ProcessedDeletions,
  processDeletions,
} from "../actions/deletion/process-deletions.ts";
import { visibleCounts } from "../actions/deletion/read-deletion.ts";
import { Viewer } from "../actions/operator/viewer.ts";
import type { Deletion, ErasedCounts } from "../domain/deletion/deletion.ts";
import type { Logger } from "../log.ts";

export interface DeletionRoundOptions {
  /** Names this process among those that serve the same store. */
  readonly claimant: string;
  readonly log: Logger;
  /** Receives the number of erased records by type, without confidential types. */
  readonly onCompleted?: (deletion: Deletion, erased: ErasedCounts) => void;
  readonly onPostponed?: () => void;
}

/** The round returns true if more may be due. */
export function deletionRound(
  app: App,
  options: DeletionRoundOptions,
): (stopping: AbortSignal) => Promise<boolean> {
  const pace = new DeletionPace(app);
  return async (stopping) => {
    const all = await processDeletions(app, {
      pace,
      claimant: options.claimant,
      stopping,
      onDone: (done) => report(app, done, { ...options, stopping }),
    });
    return all.length > 0;
  };
}

/**
 * Logs and metrics are read by many. The name of a restricted set would disclose that there is one, and when the deletion of a
 * closed organization is completed, what it had to wait for; failures are logged without a name.
 */
function reportUnnamed(
  done: ProcessedDeletions,
  { log, onPostponed, stopping }: DeletionRoundOptions & { readonly stopping: AbortSignal },
): void {
  if (done.result === "completed" || stopping.aborted) return;
  const { attempts } = done.deletion;
  log.error({ attempts, cause: describeCause(done.cause) }, "deletion postponed");
  onPostponed?.();
}

async function report(
  app: App,
  done: ProcessedDeletions,
  options: DeletionRoundOptions & { readonly stopping: AbortSignal },
): Promise<void> {
  const { log, onCompleted, onPostponed, stopping } = options;
  const { deletionRequestId, organizationId, attempts } = done.deletion;
  const about = { deletionRequestId, organizationId, attempts };
  const viewer = new Viewer(app, new Set());
  if (!(await viewer.knows(done.deletion))) return reportUnnamed(done, options);
  if (done.result === "completed") {
    const erased = visibleCounts(done.deletion, await viewer.reader(organizationId));
    log.info({ ...about, erased }, "deletion completed");
    onCompleted?.(done.deletion, erased);
  } else if (!stopping.aborted) {
    log.error({ ...about, cause: describeCause(done.cause) }, "deletion postponed");
    onPostponed?.();
  }
}
