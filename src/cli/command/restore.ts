// `sluice restore`

import { readConfig } from "../../config.ts";
import { OperatorError } from "../../actions/operator-error.ts";
import { defineCommand, flag, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { noReplay, reportReplay } from "../output/replay-report.ts";
import { runReplay } from "../run-replay.ts";

export const restore = defineCommand({
  name: "restore",
  summary:
    "Put a backup in the place of the embedded store, and replay every deletion completed since.",
  details:
    "The service has to be stopped. Deletions and holds come from the ledger in DATA_DIR, and from --ledger; what has to be " +
    "replayed is written down in the backup's copy before that gets the store's name. Deletions are erased and verified as " +
    "ever, with receipts that say that it was done again; holds that were placed since are placed again, and those that were " +
    "released are released. The audit trail says where it was cut. Killed at any moment, it leaves either the store as it was, " +
    "or one that nothing reads before `sluice deletion replay` has finished. Exits with 1 while a hold keeps a deletion back. " +
    "Keys that were revoked since the backup work again: revoke them again. PostgreSQL is restored with its own tools, and " +
    "then `sluice deletion replay` does the rest.",
  examples: ["sluice restore sluice-2026-03-01.db --replace"],
  arguments: { file: required(text("FILE"), "A file that `sluice backup` made.") },
  options: {
    replace: flag("Replace a store that holds records; they are lost."),
    ledger: optional(text("FILE"), "A further ledger, or a file of receipts."),
  },
  run: async (context, { file, replace, ledger }) => {
    const { putBack, readLedger } = await import("../../restore.ts");
    const config = readConfig(context.environment);
    const { operator } = context;
    const onUnreadable = (why: string) => {
      if (!context.json) context.err.write(`The store is replaced unread: ${why}\n`);
    };
    try {
      const sources = ledger === undefined ? [] : [readLedger(ledger)];
      await putBack(config, { file, replace, sources, operator, onUnreadable });
    } catch (cause) {
      throw new OperatorError("restore", cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
    }
    // Everything is written down in the store by now.
    const report = reportReplay((await runReplay(context, { config, sources: [] })) ?? noReplay);
    return {
      ...report,
      json: { file, ...report.json },
      text: `The store was restored from ${file}. ${report.text}`,
    };
  },
});
