// Replays what a restored store lacks, for the commands that do so, and tells how far it is.

import { randomBytes } from "node:crypto";
import type { LedgerSource } from "../actions/read-ledgers.ts";
import type { Replay } from "../actions/replay-deletions.ts";
import type { Config } from "../config.ts";
import { OperatorError } from "../actions/operator-error.ts";
import type { Context } from "./command.ts";
import { printTenths } from "./output/progress-tenths.ts";

export interface ReplayOf {
  readonly config: Config;
  readonly sources: readonly LedgerSource[];
}

/** Undefined if there was nothing to do. Throws OperatorError. */
export async function runReplay(
  context: Context,
  { config, sources }: ReplayOf,
): Promise<Replay | undefined> {
  const { replayIfNeeded } = await import("../restore.ts");
  const { replayDeletions } = await import("../actions/replay-deletions.ts");
  const { operator } = context;
  const options = {
    sources,
    claimant: `replay-${process.pid}-${randomBytes(6).toString("hex")}`,
    onProgress: printTenths(context, "replayed"),
  };
  try {
    return await replayIfNeeded(config, {
      sources,
      operator,
      replay: (app) => replayDeletions(app, options),
    });
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause;
    throw new OperatorError("replay", cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}
