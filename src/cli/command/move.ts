// `sluice move`

import { readConfig } from "../../config.ts";
import { type MoveStep, MoveStopped } from "../../domain/move-step.ts";
import type { Moved } from "../../move.ts";
import { limitHeap } from "../v8-flags.ts";
import { OperatorError, UsageError } from "../../actions/operator-error.ts";
import { type Context, defineCommand, required } from "../command.ts";
import { text } from "../input/kinds.ts";
import { MoveProgress } from "../output/move-progress.ts";
import { reportMove } from "../output/move-report.ts";
import { awaitStopSignal } from "../stop-signal.ts";

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
  arguments: {},
  options: {
    to: required(
      text("URL"),
      "The database as DATABASE_URL will name it, with a role that owns its tables.",
    ),
  },
  run: async (context, { to }) => {
    // The words that a process was started with can be read by everybody on the machine.
    process.title = "sluice move";
    // Looked at here, because a word that is refused while the line is read is printed.
    if (!/^postgres(?:ql)?:\/\/./.test(to)) {
      throw new UsageError(
        "--to must be a URL that begins with postgres:// or postgresql://, such as postgres://user@host:5432/database.",
      );
    }
    if (!context.json && holdsPassword(to)) context.err.write(openPassword);
    limitHeap({ garbagePercent: 30, youngGenerationBytes: 4 * 1_024 * 1_024 });
    const startedAt = performance.now();
    const stop = awaitStopSignal();
    const stopping = new AbortController();
    void stop.received.then(() => stopping.abort());
    const progress = new MoveProgress(context);
    try {
      const moved = await perform(context, { to, progress, stopping: stopping.signal });
      return reportMove(moved, (performance.now() - startedAt) / 1_000);
    } finally {
      progress.close();
      stop.release();
    }
  },
});

function holdsPassword(url: string): boolean {
  return URL.canParse(url) && new URL(url).password !== "";
}

interface Performing {
  readonly to: string;
  readonly progress: MoveProgress;
  readonly stopping: AbortSignal;
}

async function perform(
  { environment, operator }: Context,
  { to, progress, stopping }: Performing,
): Promise<Moved> {
  const config = readConfig(environment);
  const module = await import("../../move.ts");
  try {
    const onStep = (step: MoveStep) => progress.show(step);
    return await module.move(config, { to, operator, stopping, onStep });
  } catch (cause) {
    progress.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    if (!(cause instanceof MoveStopped)) throw new OperatorError("move", why, { cause });
    throw new OperatorError("stopped", `${why} ${progress.describe()}`, { cause });
  }
}
