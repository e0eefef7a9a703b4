// `sluice deletion replay`

import { readConfig } from "../../config.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { defineCommand, optional } from "../command.ts";
import { text } from "../input/kinds.ts";
import { noReplay, reportReplay } from "../output/replay-report.ts";
import { runReplay } from "../run-replay.ts";

export const deletionReplay = defineCommand({
  name: "deletion replay",
  summary: "After a restore: replay every deletion that was completed since the backup.",
  details:
    "Takes deletions and holds from the ledger in DATA_DIR, and from --ledger, a ledger of another host or what `receipt export` " +
    "printed. What has to be replayed is first written down in the store; from then on no ledger is needed, and nothing else " +
    "reads the store until all of it is processed. The records are erased and verified as ever, and the receipts say that it " +
    "was done again. Exits with 1 while a hold keeps one back; release it and run this again. Where nothing is to be replayed " +
    "it changes nothing, and may be run at any time; otherwise the service has to be stopped.",
  examples: [
    "sluice deletion replay",
    "DATABASE_URL=postgres://… sluice deletion replay --ledger receipts.ndjson",
  ],
  arguments: {},
  options: { ledger: optional(text("FILE"), "A further ledger, or a file of receipts.") },
  run: async (context, { ledger }) => {
    const { readLedger } = await import("../../restore.ts");
    const config = readConfig(context.environment);
    const sources = ledger === undefined ? [] : [openSource(readLedger, ledger)];
    return reportReplay((await runReplay(context, { config, sources })) ?? noReplay);
  },
});

function openSource<Source>(read: (path: string) => Source, path: string): Source {
  try {
    return read(path);
  } catch (cause) {
    throw new OperatorError("ledger", cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}
