// The round that processes deletions that are due, for the loop to repeat. Logs which deletion request came to what,
// never which record it was about nor why it was asked for.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../actions/app.ts";
import {
  isFullRound,
  type ProcessedDeletions,
  processDeletions,
} from "../actions/process-deletions.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { AppError } from "../domain/error.ts";
import type { Logger } from "../log.ts";

/** After a full round the worker rests for this many times what it took, so that most of the time is left to writers. */
const deletionRestTimes = 2;
/** The longest of these rests. */
const deletionRestMsMax = 5_000;

export interface DeletionRoundOptions {
  /** Names this process among those that serve the same store. */
  readonly claimant: string;
  readonly log: Logger;
  readonly onCompleted?: (deletion: Deletion) => void;
  readonly onPostponed?: () => void;
}

/**
 * A round takes what the store does best together; true means that more may be due. Where writers wait for what it does, a
 * round that was full is followed by a rest, so that most of the time is theirs.
 */
export function deletionRound(
  app: App,
  options: DeletionRoundOptions,
): (stopping: AbortSignal) => Promise<boolean> {
  return async (stopping) => {
    const startedAt = performance.now();
    const all = await processDeletions(app, { claimant: options.claimant, stopping });
    for (const done of all) tell(done, stopping, options);
    if (isFullRound(app, all)) {
      await rest(performance.now() - startedAt, stopping);
    }
    return all.length > 0;
  };
}

async function rest(roundMs: number, signal: AbortSignal): Promise<void> {
  const restMs = Math.min(roundMs * deletionRestTimes, deletionRestMsMax);
  await sleep(restMs, undefined, { signal }).catch(() => undefined);
}

function tell(
  done: ProcessedDeletions,
  stopping: AbortSignal,
  options: DeletionRoundOptions,
): void {
  const { log, onCompleted, onPostponed } = options;
  const { deletionRequestId, organizationId, erased, attempts } = done.deletion;
  const about = { deletionRequestId, organizationId, attempts };
  if (done.result === "completed") {
    log.info({ ...about, erased }, "deletion completed");
    onCompleted?.(done.deletion);
  } else if (!stopping.aborted) {
    log.error({ ...about, cause: nameCause(done.cause) }, "deletion postponed");
    onPostponed?.();
  }
}

/** Only name and message: an engine's error may carry the values of a row in its other properties. */
function nameCause(error: unknown): string {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : "not an error";
}
