// Replays deletions on a restored store, for the commands that do so, and reports what was replayed and what waits.

import { randomBytes } from "node:crypto";
import { OperatorError } from "../actions/operator/operator-error.ts";
import type { LedgerSource } from "../actions/ledger/read-ledgers.ts";
import type { Replay } from "../actions/deletion/replay-deletions.ts";
import type { Config } from "../settings/config.ts";
import type { Context } from "./command.ts";
import { printTenths } from "./output/progress-tenths.ts";

export interface ReplaySource {
  readonly config: Config;
  readonly sources: readonly LedgerSource[];
  /** The operator who needs the right to replay; undefined where it was checked for more than that. */
  readonly as?: string | undefined;
}

/** Changes nothing if there is nothing to replay. Throws OperatorError. */
export async function runReplay(context: Context, { config, sources, as }: ReplaySource) {
  const { replayIfNeeded } = await import("../process/restore.ts");
  const { replayDeletions } = await import("../actions/deletion/replay-deletions.ts");
  const { operator } = context;
  const claimant = `replay-${process.pid}-${randomBytes(6).toString("hex")}`;
  const onProgress = printTenths(context, "replayed");
  try {
    const replay = await replayIfNeeded(config, {
      sources,
      operator,
      as,
      replay: (app) => replayDeletions(app, { sources, claimant, onProgress }),
    });
    return report(replay ?? { replayedIds: [], waiting: [], waitingMore: 0 });
  } catch (cause) {
    throw cause instanceof OperatorError ? cause : OperatorError.from("replay", cause);
  }
}

function report({ replayedIds, waiting, waitingMore }: Replay) {
  const { length } = replayedIds;
  const done = `${length} ${length === 1 ? "deletion was" : "deletions were"} replayed.`;
  const left = waiting.map(
    ({ deletion, why }) => `  ${deletion.deletionRequestId} waits for ${why}`,
  );
  if (waitingMore > 0) left.push(`  and ${waitingMore} more`);
  return {
    json: {
      carried_out: replayedIds,
      waiting: waiting.map(({ deletion, why }) => ({
        deletion_request_id: deletion.deletionRequestId,
        waiting_for: why,
      })),
      waiting_more: waitingMore,
    },
    text:
      left.length === 0
        ? done
        : [done, "These remain; until they are done, nothing can read the store:", ...left].join(
            "\n",
          ),
    exitCode: left.length === 0 ? 0 : 1,
  };
}
