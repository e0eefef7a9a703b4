// `sluice deletion replay`

import { randomBytes } from "node:crypto";
import { replayDeletions } from "../../actions/replay-deletions.ts";
import { defineCommand, optional } from "../command.ts";
import { text } from "../kinds.ts";
import { reportReplay } from "../replay-report.ts";
import { tellTenths } from "../tenths.ts";

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
      const { readLedger } = await import("../../restore.ts");
      const replay = await replayDeletions(app, {
        claimant: `replay-${process.pid}-${randomBytes(6).toString("hex")}`,
        onProgress: tellTenths(context, "carried out again"),
        ...(ledger === undefined ? {} : { entries: readLedger(ledger) }),
      });
      return reportReplay(replay);
    }),
});
