// Logs and counts the result of each deletion request, never its record or its reason. Names none that the many people
// who read logs and metrics may not know of.

import type { App } from "../actions/app.ts";
import type { ProcessedDeletions } from "../actions/deletion/process-deletions.ts";
import { describeCause, isTemporary } from "../actions/deletion/postpone-deletion.ts";
import { visibleCounts } from "../actions/deletion/read-deletion.ts";
import type { TrustedClock } from "../actions/upkeep/clock.ts";
import { Viewer } from "../actions/operator/viewer.ts";
import type { Reader } from "../domain/confidentiality.ts";
import type { Deletion, ErasedCounts } from "../domain/deletion/deletion.ts";
import type { Logger } from "../log.ts";

export interface DeletionRoundOptions {
  /** Names this process among those that serve the same store. */
  readonly claimant: string;
  readonly log: Logger;
  /** Asked before anything is erased: the clock ends floors, holds and grace periods. */
  readonly trustedClock?: TrustedClock;
  /** Receives the number of erased records by type, without confidential types. */
  readonly onCompleted?: (deletion: Deletion, erased: ErasedCounts) => void;
  /** Called after an attempt that failed for a reason that does not end by itself. */
  readonly onPostponed?: () => void;
}

type RoundOptions = DeletionRoundOptions & { readonly stopping: AbortSignal };

/**
 * Many people read logs and metrics. The name of a restricted set would disclose that there is one, and the time at
 * which the deletion of a closed organization completes would disclose what it had to wait for; failures are logged
 * without a name.
 */
function reportUnnamed(done: ProcessedDeletions, options: RoundOptions): void {
  if (done.result === "completed") return;
  reportPostponed({ attempts: done.deletion.attempts }, done.cause, options);
}

/** A metric shows deletions that have been due for long, whatever postpones them. */
function reportPostponed(
  about: object,
  cause: unknown,
  { log, onPostponed, stopping }: RoundOptions,
): void {
  if (stopping.aborted) return;
  const detail = { ...about, cause: describeCause(cause) };
  if (isTemporary(cause)) return log.warn(detail, "deletion postponed");
  log.error(detail, "deletion postponed");
  onPostponed?.();
}

export async function reportAll(
  app: App,
  all: readonly ProcessedDeletions[],
  options: RoundOptions,
): Promise<void> {
  const viewer = new Viewer(app, []);
  const byOrganization = Map.groupBy(all, ({ deletion }) => deletion.organizationId);
  for (const [organizationId, some] of byOrganization) {
    const knows = await viewer.knowledge(organizationId);
    const reader = await viewer.reader(organizationId);
    for (const done of some) {
      if (knows(done.deletion)) report(done, reader, options);
      else reportUnnamed(done, options);
    }
  }
}

function report(done: ProcessedDeletions, reader: Reader, options: RoundOptions): void {
  const { log, onCompleted } = options;
  const { deletionRequestId, organizationId, attempts } = done.deletion;
  const about = { deletionRequestId, organizationId, attempts };
  if (done.result === "completed") {
    const erased = visibleCounts(done.deletion, reader);
    log.info({ ...about, erased }, "deletion completed");
    onCompleted?.(done.deletion, erased);
  } else {
    reportPostponed(about, done.cause, options);
  }
}
