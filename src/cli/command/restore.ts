// `sluice backup`, `sluice restore`, and `sluice deletion replay`, which ends every restore: they report what was
// replayed and what waits.

import { randomBytes } from "node:crypto";
import type { Replay } from "../../actions/deletion/replay-deletions.ts";
import type { LedgerSource } from "../../actions/ledger/read-ledgers.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { type Config, readConfig } from "../../settings/config.ts";
import { type Context, defineCommand, flag, optional, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { printTenths } from "../output/bulk-progress.ts";
import { requireOutputFile } from "../input/output-file.ts";

export const backup = defineCommand({
  name: "backup",
  summary: "Copy a snapshot of the embedded store into a new file while it is in service.",
  details:
    "The file gets its name when it is complete and verified; only its owner can read it. It contains neither the private " +
    "key that signs receipts nor the ledger of deletions; back these up separately. Deletions are not completed while the " +
    "backup runs. If the backup is killed, the next command removes the unfinished file. Use PostgreSQL's own tools to back " +
    "up PostgreSQL.",
  examples: ["sluice backup sluice-2026-03-01.db"],
  rights: ["store.backup"],
  arguments: {
    file: required(text("FILE"), "The file to create; it must not exist, but its folder must."),
  },
  run: async (context, { file }) => {
    const advice = "Name another file, or remove this one first.";
    requireOutputFile(file, { replace: false, advice });
    const { backUp } = await import("../../process/restore.ts");
    const { operator, as } = context;
    const onProgress = printTenths(context, "copied");
    const bytes = await backUp(readConfig(context.environment), {
      file,
      operator,
      as,
      onProgress,
    }).catch((cause: unknown) => {
      throw cause instanceof OperatorError ? cause : OperatorError.from("backup", cause);
    });
    return { json: { file, bytes }, text: `The backup is in ${file}, ${bytes} bytes.` };
  },
});

export const restore = defineCommand({
  name: "restore",
  summary: "Replace the embedded store with a backup, and replay every deletion completed since.",
  details:
    "The service must be stopped. Deletions and holds are read from the ledger in DATA_DIR, and from --ledger. The list of " +
    "deletions to replay is written into the copy of the backup before that copy gets the store's name. Records are erased and " +
    "verified as usual, with receipts that say that the deletion was replayed. Holds placed since the backup are placed again, " +
    "and holds released since are released. The audit trail records where it was cut. If the restore is killed, it leaves either " +
    "the old store, or one that nothing can read before `sluice deletion replay` has finished. Exits with 3 while a hold keeps a " +
    "deletion waiting. Keys that were revoked since the backup are valid again: revoke them again. Restore PostgreSQL with its " +
    "own tools, then run `sluice deletion replay`.",
  examples: ["sluice restore sluice-2026-03-01.db --replace"],
  rights: ["store.restore"],
  arguments: { file: required(text("FILE"), "A file that `sluice backup` made.") },
  options: {
    replace: flag("Replace a store that contains records; they are lost."),
    incomplete: flag(
      "Accept the file of a store that was copied without its WAL; the newest records are lost.",
    ),
    ledger: optional(text("FILE"), "Another ledger, or a file of receipts."),
  },
  run: async (context, { file, replace, incomplete, ledger }) => {
    const { restoreBackup, readLedger } = await import("../../process/restore.ts");
    const config = readConfig(context.environment);
    const { operator, as } = context;
    const warnings: string[] = [];
    const warn = (sentence: string) => {
      warnings.push(sentence);
      if (!context.json) context.err.write(`${sentence}\n`);
    };
    try {
      const sources = ledger === undefined ? [] : [readLedger(ledger)];
      await restoreBackup(config, {
        file,
        replace,
        incomplete,
        sources,
        operator,
        as,
        warn,
      });
    } catch (cause) {
      throw cause instanceof OperatorError ? cause : OperatorError.from("restore", cause);
    }
    // The store contains the list of deletions by now, so no ledger is needed.
    const report = await runReplay(context, { config, sources: [] });
    return {
      ...report,
      json: { file, warnings, ...report.json },
      text: `The store was restored from ${file}. ${report.text}`,
    };
  },
});

export const deletionReplay = defineCommand({
  name: "deletion replay",
  summary: "After a restore, replay every deletion that was completed since the backup.",
  details:
    "Reads deletions and holds from the ledger in DATA_DIR, and from --ledger: the ledger of another host, or the output of " +
    "`receipt export --include-confidential`. First it writes the list of deletions to replay into the store. From then on no ledger is needed, and " +
    "nothing else can read the store until all of them are processed. Records are erased and verified as usual; the receipts " +
    "say that the deletion was replayed. Exits with 3 while a hold keeps a deletion waiting; release the hold and run this " +
    "again. If there is nothing to replay, it changes nothing and may be run at any time; otherwise the service must be stopped. " +
    "The ledger does not show a restore that has lost only changes: --restored says so, and offsets of the feed that lie beyond " +
    "what was restored are refused from then on.",
  examples: [
    "sluice deletion replay",
    "DATABASE_URL=postgres://… sluice deletion replay --restored --ledger receipts.ndjson",
  ],
  rights: ["deletion.replay"],
  options: {
    ledger: optional(text("FILE"), "Another ledger, or a file of receipts."),
    restored: flag("The database was restored, even if there is nothing to replay."),
  },
  run: async (context, { ledger, restored }) => {
    const { readLedger } = await import("../../process/restore.ts");
    const config = readConfig(context.environment);
    try {
      const sources = ledger === undefined ? [] : [readLedger(ledger)];
      return await runReplay(context, { config, sources, restored, as: context.as });
    } catch (cause) {
      throw cause instanceof OperatorError ? cause : OperatorError.from("ledger", cause);
    }
  },
});

export interface ReplaySource {
  readonly config: Config;
  readonly sources: readonly LedgerSource[];
  readonly restored?: boolean;
  /** The operator who needs the right to replay; undefined if a stronger right was already checked. */
  readonly as?: string | undefined;
}

/** Changes nothing if there is nothing to replay. Throws OperatorError. */
async function runReplay(context: Context, { config, sources, restored, as }: ReplaySource) {
  const { replayIfNeeded } = await import("../../process/restore.ts");
  const { replayDeletions } = await import("../../actions/deletion/replay-deletions.ts");
  const { operator } = context;
  const claimant = `replay-${process.pid}-${randomBytes(6).toString("hex")}`;
  const onProgress = printTenths(context, "replayed");
  try {
    const replay = await replayIfNeeded(config, {
      sources,
      restored,
      operator,
      as,
      replay: (app) => replayDeletions(app, { sources, claimant, onProgress }),
    });
    return describeReplay(replay ?? { replayedIds: [], waiting: [], waitingMore: 0 });
  } catch (cause) {
    throw cause instanceof OperatorError ? cause : OperatorError.from("replay", cause);
  }
}

function describeReplay({ replayedIds, waiting, waitingMore }: Replay) {
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
        : [
            done,
            "These deletions remain; nothing can read the store before they are completed:",
            ...left,
          ].join("\n"),
    hasFinding: left.length > 0,
  };
}
