// `sluice restore`

import { OperatorError } from "../../actions/operator/operator-error.ts";
import { readConfig } from "../../settings/config.ts";
import { defineCommand, flag, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { runReplay } from "../run-replay.ts";

export const restore = defineCommand({
  name: "restore",
  summary: "Replace the embedded store with a backup, and replay every deletion completed since.",
  details:
    "The service must be stopped. Deletions and holds are read from the ledger in DATA_DIR, and from --ledger. The list of " +
    "deletions to replay is written into the copy of the backup before that copy gets the store's name. Records are erased and " +
    "verified as usual, with receipts that say that the deletion was replayed. Holds placed since the backup are placed again, " +
    "and holds released since are released. The audit trail records where it was cut. If the restore is killed, it leaves either " +
    "the old store, or one that nothing can read before `sluice deletion replay` has finished. Exits with 1 while a hold keeps a " +
    "deletion waiting. Keys that were revoked since the backup are valid again: revoke them again. Restore PostgreSQL with its " +
    "own tools, then run `sluice deletion replay`.",
  examples: ["sluice restore sluice-2026-03-01.db --replace"],
  rights: ["store.restore"],
  arguments: { file: required(text("FILE"), "A file that `sluice backup` made.") },
  options: {
    replace: flag("Replace a store that contains records; they are lost."),
    ledger: optional(text("FILE"), "Another ledger, or a file of receipts."),
  },
  run: async (context, { file, replace, ledger }) => {
    const { restoreBackup, readLedger } = await import("../../process/restore.ts");
    const config = readConfig(context.environment);
    const { operator, as } = context;
    const onUnreadable = (why: string) => {
      if (context.json) return;
      context.err.write(`The store can't be read and is replaced all the same: ${why}\n`);
    };
    try {
      const sources = ledger === undefined ? [] : [readLedger(ledger)];
      await restoreBackup(config, { file, replace, sources, operator, as, onUnreadable });
    } catch (cause) {
      throw cause instanceof OperatorError ? cause : OperatorError.from("restore", cause);
    }
    // The store contains the list of deletions by now, so no ledger is needed.
    const report = await runReplay(context, { config, sources: [] });
    return {
      ...report,
      json: { file, ...report.json },
      text: `The store was restored from ${file}. ${report.text}`,
    };
  },
});
