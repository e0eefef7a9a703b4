// `sluice move`

import { OperatorError, reasonOf, UsageError } from "../../actions/operator/operator-error.ts";
import { readConfig } from "../../settings/config.ts";
import { MoveStopped, type MoveStep } from "../../domain/move-step.ts";
import type { Moved } from "../../process/move.ts";
import { type Context, defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { MoveProgress } from "../output/move-progress.ts";
import { reportMove } from "../output/move-report.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { bulkHeap, limitHeap } from "../v8-flags.ts";

const openPassword =
  "sluice: warning: other users of this machine can see the password in --to while this runs. Use PGPASSWORD instead.\n";

export const move = defineCommand({
  name: "move",
  summary: "Copy the embedded store to an empty PostgreSQL database and verify the copy.",
  details:
    "Stop the service first. Nothing can write to the embedded store during the move, and it is not changed. Copies " +
    "everything: records with all changes, deletions and their receipts, holds, keys, tokens and the audit trail. Then " +
    "compares the row counts and digests of each table on both sides. The same command continues a move that was " +
    "interrupted; until it is complete, every other command refuses the database. Put the password in PGPASSWORD rather " +
    "than in the URL, which other users of this machine can see while this runs. It is never printed.",
  examples: [
    "sluice move --to postgres://sluice_owner@db.example:5432/sluice",
    "DATABASE_URL=sqlite:/var/lib/sluice/sluice.db sluice move --to postgres://sluice_owner@db.example/sluice",
  ],
  rights: ["store.move"],
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
    const moved = await runUntilStopped((stopping) => perform(context, to, stopping));
    return reportMove(moved, (performance.now() - startedAt) / 1_000);
  },
});

function holdsPassword(url: string): boolean {
  return URL.canParse(url) && new URL(url).password !== "";
}

async function perform(context: Context, to: string, stopping: AbortSignal): Promise<Moved> {
  const config = readConfig(context.environment);
  const module = await import("../../process/move.ts");
  const progress = new MoveProgress(context);
  try {
    const onStep = (step: MoveStep) => progress.show(step);
    return await module.move(config, {
      to,
      operator: context.operator,
      as: context.as,
      stopping,
      onStep,
    });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    if (!(cause instanceof MoveStopped)) throw OperatorError.from("move", cause);
    throw new OperatorError("stopped", `${reasonOf(cause)} ${progress.describe()}`, { cause });
  } finally {
    progress.close();
  }
}
