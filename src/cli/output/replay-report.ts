// What the command line says of deletions that were replayed.

import type { Replay } from "../../actions/replay-deletions.ts";

/** Nothing was to be done. */
export const noReplay: Replay = { replayedIds: [], waiting: [], waitingMore: 0 };

export function reportReplay({ replayedIds, waiting, waitingMore }: Replay) {
  const { length } = replayedIds;
  const done = `${length} ${length === 1 ? "deletion was" : "deletions were"} replayed.`;
  const left = waiting.map(
    ({ deletion, why }) => `  ${deletion.deletionRequestId} waits for ${why}`,
  );
  if (waitingMore > 0) left.push(`  and ${waitingMore} more, which come after those`);
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
        : [done, "Still to be done, and until then nothing reads the store:", ...left].join("\n"),
    exitCode: left.length === 0 ? 0 : 1,
  };
}
