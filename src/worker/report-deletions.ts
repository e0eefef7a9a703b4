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
      report(done, knows(done.deletion) ? reader : undefined, options);
    }
  }
}

/**
 * `reader` is undefined if those who read logs and metrics may not know of the deletion. The name of a restricted set
 * would disclose that there is one, and the time at which the deletion of a closed organization completes would
 * disclose what it had to wait for; failures are logged without a name. A metric shows deletions that have been due for
 * long, whatever postpones them.
 */
function report(
  done: ProcessedDeletions,
  reader: Reader | undefined,
  { log, onCompleted, onPostponed, stopping }: RoundOptions,
): void {
  const { deletionRequestId, organizationId, attempts } = done.deletion;
  const about =
    reader === undefined ? { attempts } : { deletionRequestId, organizationId, attempts };
  if (done.result === "completed") {
    if (reader === undefined) return;
    const erased = visibleCounts(done.deletion, reader);
    log.info({ ...about, erased }, "deletion completed");
    onCompleted?.(done.deletion, erased);
  } else if (!stopping.aborted) {
    const detail = { ...about, cause: describeCause(done.cause) };
    if (isTemporary(done.cause)) return log.warn(detail, "deletion postponed");
    log.error(detail, "deletion postponed");
    onPostponed?.();
  }
}
