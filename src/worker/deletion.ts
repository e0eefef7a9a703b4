// The round that processes deletions that are due, for the loop to repeat. Logs the result of each deletion request, never
// its record or its reason.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../actions/app.ts";
import {
  describeCause,
  isFullRound,
  type ProcessedDeletions,
  processDeletions,
} from "../actions/process-deletions.ts";
import { publicReader } from "../actions/operator-reader.ts";
import { visibleCounts } from "../actions/read-deletion.ts";
import { readKnowledge, showing } from "../actions/require-right.ts";
import type { Deletion, ErasedCounts } from "../domain/deletion/deletion.ts";
import type { Logger } from "../log.ts";

/** After a full round the worker pauses for this many times its duration, so that most of the time is left to writers. */
const pauseFactor = 2;
/** The longest of these pauses. */
const pauseMsMax = 5_000;

export interface DeletionRoundOptions {
  /** Names this process among those that serve the same store. */
  readonly claimant: string;
  readonly log: Logger;
  /** Receives the number of erased records by type, without confidential types. */
  readonly onCompleted?: (deletion: Deletion, erased: ErasedCounts) => void;
  readonly onPostponed?: () => void;
}

/** The round returns true if more may be due. After a full round it pauses, so that most of the time is left to writers. */
export function deletionRound(
  app: App,
  options: DeletionRoundOptions,
): (stopping: AbortSignal) => Promise<boolean> {
  return async (stopping) => {
    const startedAt = performance.now();
    const all = await processDeletions(app, {
      claimant: options.claimant,
      stopping,
      onDone: (done) => report(app, done, { ...options, stopping }),
    });
    if (isFullRound(app, all)) {
      await pause(performance.now() - startedAt, stopping);
    }
    return all.length > 0;
  };
}

async function pause(roundMs: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(roundMs * pauseFactor, pauseMsMax);
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
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
  const isKnown = await readKnowledge(showing(app, { includeConfidential: false }), organizationId);
  if (!isKnown(done.deletion)) return reportUnnamed(done, options);
  if (done.result === "completed") {
    const erased = visibleCounts(done.deletion, await publicReader(app, organizationId));
    log.info({ ...about, erased }, "deletion completed");
    onCompleted?.(done.deletion, erased);
  } else if (!stopping.aborted) {
    log.error({ ...about, cause: describeCause(done.cause) }, "deletion postponed");
    onPostponed?.();
  }
}
