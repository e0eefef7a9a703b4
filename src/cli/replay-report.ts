// What the command line says of deletions that were carried out again.

import type { Replay } from "../actions/replay-deletions.ts";

export function reportReplay({ carriedOut, waiting }: Replay) {
  const { length } = carriedOut;
  const done = `${length} ${length === 1 ? "deletion was" : "deletions were"} carried out again.`;
  const left = waiting.map(
    ({ deletion, why }) => `  ${deletion.deletionRequestId} waits for ${why}`,
  );
  return {
    json: {
      carried_out: carriedOut.map(({ deletionRequestId }) => deletionRequestId),
      waiting: waiting.map(({ deletion, why }) => ({
        deletion_request_id: deletion.deletionRequestId,
        waiting_for: why,
      })),
    },
    text: left.length === 0 ? done : [done, "Still to be done:", ...left].join("\n"),
    exitCode: left.length === 0 ? 0 : 1,
  };
}
