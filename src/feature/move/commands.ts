// `sluice move`

import { OperatorError, UsageError } from "../../actions/operator/operator-error.ts";
import type { BulkProgress } from "../../bulk/progress.ts";
import { postgresUrls } from "../../files/postgres-urls.ts";
import { operatorErrors, rights } from "./rows.ts";
import type { Moved } from "./run-move.ts";
import type { MovePhase, MoveStep } from "./store/copy.ts";
import { readConfig } from "../../settings/config.ts";
import { type CommandResult, type Context, defineCommand, required } from "../../cli/command.ts";
import { text } from "../../cli/input/kinds.ts";
import { formatSeconds, makeBulkProgress } from "../../cli/output/bulk-progress.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";
import { bulkHeap, limitHeap } from "../../cli/v8-flags.ts";
import { sluice } from "../../basics/program-name.ts";

const openPassword =
  "sluice: warning: other users of this machine can see the password in --to while this runs. Use PGPASSWORD instead.\n";

export const heading = "Store";

const move = defineCommand({
  name: "move",
  summary: "Copy the embedded store to an empty PostgreSQL database and verify the copy.",
  details:
    "Stop the service first. Nothing can write to the embedded store during the move, and it is not changed. Afterwards nothing opens it, because of a file beside it that says where it was moved. Copies " +
    "everything: records with all changes, deletions and their receipts, holds, keys, tokens and the audit trail. Then " +
    "compares the row counts and digests of each table on both sides. A move that was interrupted can't be " +
    "continued: every command refuses the database and says how to empty it. Put the password in PGPASSWORD rather " +
    "than in the URL, which other users of this machine can see while this runs. It is never printed.",
  examples: [
    "sluice move --to postgres://sluice_owner@db.example:5432/sluice",
    "DATABASE_URL=sqlite:/var/lib/sluice/sluice.db sluice move --to postgres://sluice_owner@db.example/sluice",
  ],
  rights: [rights["store.move"]],
  options: {
    to: required(
      text("URL"),
      "The database, in the form of DATABASE_URL, with a role that owns its tables.",
    ),
  },
  run: async (context, { to }) => {
    // Every user of the machine can read the command line of a process, and the URL may contain a password.
    process.title = "sluice move";
    // Checked here rather than by the kind of option, because the error for an invalid option repeats its value.
    if (!/^postgres(?:ql)?:\/\/./.test(to)) {
      throw new UsageError(
        "--to must be a URL that begins with postgres:// or postgresql://, such as postgres://user@host:5432/database.",
      );
    }
    if (!context.json && holdsPassword(to)) context.err.write(openPassword);
    limitHeap(bulkHeap);
    const startedAt = performance.now();
    const stopped = new OperatorError("stopped", "The move was stopped.");
    const moved = await runUntilStopped((stopping) => perform(context, to, stopping), stopped);
    return reportMove(moved, (performance.now() - startedAt) / 1_000);
  },
});

export const commands = [move];

function holdsPassword(url: string): boolean {
  return (URL.parse(postgresUrls(url)?.[0] ?? "")?.password ?? "") !== "";
}

async function perform(context: Context, to: string, stopping: AbortSignal): Promise<Moved> {
  const config = readConfig(context.environment);
  const module = await import("./run-move.ts");
  const progress = makeMoveProgress(context);
  try {
    const { operator, as } = context;
    return await module.move(config, { to, operator, as, stopping, onStep: progress.show });
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw OperatorError.from(operatorErrors.move, cause);
    if (cause.errorName !== "stopped") throw cause;
    throw new OperatorError("stopped", `${cause.message} ${progress.describe()}`, { cause });
  } finally {
    progress.close();
  }
}

const names: Readonly<Record<MovePhase, string>> = {
  copy: "copying",
  verify: "verifying",
};

function makeMoveProgress({ err, json }: Context) {
  const shown: { [Phase in MovePhase]?: BulkProgress } = {};
  let copied = 0;
  return {
    show: ({ phase, rows, allRows = 0, table }: MoveStep): void => {
      if (phase === "copy") copied = rows;
      const share = allRows === 0 ? undefined : Math.min(1, rows / allRows);
      const progress = (shown[phase] ??= makeBulkProgress(err, { json, name: names[phase] }));
      progress.show({ rows, share, note: table });
    },
    close: (): void => {
      for (const progress of Object.values(shown)) progress.close();
    },
    /** What remains of a move that ended early. */
    describe: (): string =>
      `${copied.toLocaleString("en")} rows were copied. Empty the database before you run the same command again.`,
  };
}

function reportMove({ storeId, rows, summary, files }: Moved, seconds: number): CommandResult {
  const { storeFile, receiptKey, ledger } = files;
  const along = [
    [receiptKey, "the private key that signs receipts"],
    [ledger, "the ledger of deletions"],
  ].flatMap(([path, what]) => (path === undefined ? [] : [`   ${path} (${what})`]));
  const steps = [
    "Set DATABASE_URL to the database wherever Sluice runs.",
    [
      "Keep these files, which are not in the database: set DATA_DIR to their folder, or copy them to the one that is " +
        "used from now on (./data unless DATA_DIR is set):",
      ...along,
    ].join("\n"),
    `Never serve ${storeFile} again. Delete it and its backups once the service runs: they still contain what is erased ` +
      "from now on.",
    `Run \`${sluice} check\`. It reports the old files until they are gone.`,
  ].filter((_, at) => at !== 1 || along.length > 0);
  const lines = [
    `Moved ${rows.toLocaleString("en")} rows of ${storeId} in ${formatSeconds(seconds)}. Counts and digests of all ` +
      `${Object.keys(summary).length} tables are equal on both sides.`,
    "",
    "Next steps:",
    ...steps.map((step, at) => `${at + 1}. ${step}`),
  ];
  const json = {
    store_id: storeId,
    rows,
    seconds: Number(seconds.toFixed(3)),
    tables: summary,
    take_along: { receipt_key: receiptKey ?? null, ledger: ledger ?? null },
    left_behind: storeFile,
  };
  return { json, text: lines.join("\n") };
}
