// `sluice restore`

import { randomBytes } from "node:crypto";
import { replayDeletions } from "../../actions/replay-deletions.ts";
import { readConfig } from "../../config.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand, flag, optional, required } from "../command.ts";
import { text } from "../kinds.ts";
import { reportReplay } from "../replay-report.ts";
import { tellTenths } from "../tenths.ts";

export const restore = defineCommand({
  name: "restore",
  summary:
    "Put a backup in the place of the embedded store, and carry out again every deletion completed since.",
  details:
    "The service has to be stopped. The deletions come from the ledger in DATA_DIR, and from --ledger; they are erased and " +
    "verified as ever, with receipts that say that it was done again. Whatever happens in between, `serve` refuses to start " +
    "until it is done (`sluice deletion replay` goes on with it). Exits with 1 while a hold keeps one back. Keys that were " +
    "revoked since the backup work again: revoke them again. PostgreSQL is restored with its own tools, and then " +
    "`sluice deletion replay` does the rest.",
  examples: ["sluice restore sluice-2026-03-01.db --replace"],
  arguments: { file: required(text("FILE"), "A file that `sluice backup` made.") },
  options: {
    replace: flag("Replace a store that holds records; they are lost."),
    ledger: optional(text("FILE"), "A further ledger, or a file of receipts."),
  },
  run: async (context, { file, replace, ledger }) => {
    const { putBack, readLedger } = await import("../../restore.ts");
    const config = readConfig(context.environment);
    await putBack(config, { file, replace }, (why) => {
      if (!context.json) context.err.write(`The store is replaced unread: ${why}\n`);
    }).catch((cause: unknown) => {
      throw new CliError("restore", cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
    });
    return context.withApp(async (app) => {
      const replay = await replayDeletions(app, {
        claimant: `restore-${process.pid}-${randomBytes(6).toString("hex")}`,
        onProgress: tellTenths(context, "carried out again"),
        ...(ledger === undefined ? {} : { entries: readLedger(ledger) }),
      });
      const report = reportReplay(replay);
      return {
        ...report,
        json: { file, ...report.json },
        text: `The store was restored from ${file}. ${report.text}`,
      };
    });
  },
});
