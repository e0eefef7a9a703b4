// `sluice deletion replay`

import { randomBytes } from "node:crypto";
import { type Replay, replayDeletions } from "../../actions/replay-deletions.ts";
import { readLedger } from "../../restore.ts";
import { type Context, defineCommand, optional } from "../command.ts";
import { text } from "../kinds.ts";

export const deletionReplay = defineCommand({
  name: "deletion replay",
  summary: "After a restore: carry out again every deletion that was completed since the backup.",
  details:
    "Takes them from the ledger in DATA_DIR, and from --ledger, a ledger of another host or what `receipt export` printed. The " +
    "records are erased and verified as ever, and the receipts say that it was done again. Until it is done, `serve` refuses to " +
    "start. Exits with 1 while a hold keeps one back; release it and run this again. It may be run at any time.",
  examples: [
    "sluice deletion replay",
    "DATABASE_URL=postgres://… sluice deletion replay --ledger receipts.ndjson",
  ],
  arguments: {},
  options: { ledger: optional(text("FILE"), "A further ledger, or a file of receipts.") },
  run: (context, { ledger }) =>
    context.withApp(async (app) => {
      const replay = await replayDeletions(app, {
        claimant: `replay-${process.pid}-${randomBytes(6).toString("hex")}`,
        onProgress: progress(context),
        ...(ledger === undefined ? {} : { entries: readLedger(ledger) }),
      });
      return reportReplay(replay);
    }),
});

export function reportReplay({ carriedOut, waiting }: Replay) {
  const done = `${carriedOut.length} ${carriedOut.length === 1 ? "deletion was" : "deletions were"} carried out again.`;
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

/** A line on standard error each time a tenth is done; none for scripts. */
export function progress({ err, json }: Context): (done: number, all: number) => void {
  let tenth = 0;
  return (done, all) => {
    const now = Math.floor((done / Math.max(all, 1)) * 10);
    if (json || now === tenth) return;
    tenth = now;
    err.write(`${done} of ${all}\n`);
  };
}
