// `sluice deletion replay`

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readConfig } from "../../settings/config.ts";
import { defineCommand, optional } from "../command.ts";
import { text } from "../input/kinds.ts";
import { runReplay } from "../run-replay.ts";

export const deletionReplay = defineCommand({
  name: "deletion replay",
  summary: "After a restore, replay every deletion that was completed since the backup.",
  details:
    "Reads deletions and holds from the ledger in DATA_DIR, and from --ledger: the ledger of another host, or the output of " +
    "`receipt export --include-confidential`. First it writes the list of deletions to replay into the store. From then on no ledger is needed, and " +
    "nothing else can read the store until all of them are processed. Records are erased and verified as usual; the receipts " +
    "say that the deletion was replayed. Exits with 1 while a hold keeps a deletion waiting; release the hold and run this " +
    "again. If there is nothing to replay, it changes nothing and may be run at any time; otherwise the service must be stopped.",
  examples: [
    "sluice deletion replay",
    "DATABASE_URL=postgres://… sluice deletion replay --ledger receipts.ndjson",
  ],
  rights: ["deletion.replay"],
  options: { ledger: optional(text("FILE"), "Another ledger, or a file of receipts.") },
  run: async (context, { ledger }) => {
    const { readLedger } = await import("../../process/restore.ts");
    const config = readConfig(context.environment);
    try {
      const sources = ledger === undefined ? [] : [readLedger(ledger)];
      return await runReplay(context, { config, sources, as: context.as });
    } catch (cause) {
      throw cause instanceof OperatorError ? cause : OperatorError.from("ledger", cause);
    }
  },
});
