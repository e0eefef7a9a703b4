// The work of a serving process besides requests and deletions: removes what has expired, applies retention, ends
// holds, updates the ledger of deletions, and scrubs free space. Detects when the store is put back to an earlier
// state, and when credentials change in another process, so that a revoked key stops working here within 2 seconds
// (contract, section 4).

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../actions/app.ts";
import {
  applyRetention,
  type Marks,
  type RetentionPlace,
} from "../actions/retention/apply-retention.ts";
import { endHolds } from "../actions/retention/holds.ts";
import { expireProposals } from "../actions/proposal/proposals.ts";
import { besideWriters, type DerivedIndex } from "../actions/upkeep/build-indexes.ts";
import { isReplaced, watchStore } from "../actions/ledger/watch-store.ts";
import type { OperatorError } from "../actions/operator/operator-error.ts";
import { confirmCallers, purgeExpired, scrubSome } from "../actions/upkeep/store-upkeep.ts";
import { listLongProcessing } from "../actions/deletion/list-deletions.ts";
import type { TrustedClock } from "../actions/upkeep/clock.ts";
import type { Logger } from "../log.ts";
import { type Loop, type LoopOptions, startLoop } from "./loop.ts";

/** How often expired data is removed and records and free space are scanned; a failed round waits no longer. */
const purgeIntervalMs = 60_000;
/** A quarter of the 2 seconds after which a revoked key must not work, and callers are looked up instead. */
const credentialsPollMs = 500;
/** What a restore could miss, and how long a store that was put back to an earlier state may be served. */
const ledgerIntervalMs = 2_000;
/** Others are served between two steps that release space, or that remove rows or scan records. */
const scrubPauseMs = 100;
export const purgePauseMs = 50;

/** How often is looked for changes that are to be indexed. */
const indexIntervalMs = 1_000;

/** Returns whether there may be more to do at once. */
export type Round = (app: App, stopping: AbortSignal) => Promise<boolean>;

export type Rounds = Readonly<Record<string, Round>>;

interface UpkeepOptions {
  /** Those of features, which take something away because time has passed. */
  readonly added?: Rounds;
  readonly indexes?: readonly DerivedIndex[];
  /** Called when the store is no longer the one that the process opened. */
  readonly onReplaced?: (error: OperatorError) => void;
  /** Asked before anything is taken away because time has passed; its time is that of the round. */
  readonly trustedClock?: TrustedClock;
  /** For tests. */
  readonly intervalMs?: number;
}

interface UpkeepRound {
  /** What is logged when it fails. */
  readonly failure: string;
  /** True if there may be more to do at once. */
  readonly round: (stopping: AbortSignal) => Promise<boolean>;
  readonly times?: Partial<LoopOptions>;
}

/** Resolves once the credentials version is known. */
export async function startUpkeep(
  app: App,
  log: Logger,
  options: UpkeepOptions = {},
): Promise<Pick<Loop, "stop">> {
  const { intervalMs = purgeIntervalMs } = options;
  const rounds = await upkeepRounds(app, log, options);
  const loops = rounds.map(({ failure, round, times }) =>
    startLoop(round, {
      intervalMs,
      backOffMsMax: intervalMs,
      onError: (error) => log.error({ err: error }, failure),
      ...times,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** What `startUpkeep` repeats. */
export async function upkeepRounds(
  app: App,
  log: Logger,
  { added = {}, indexes = [], onReplaced, trustedClock = async () => app.now }: UpkeepOptions = {},
): Promise<readonly UpkeepRound[]> {
  const plain = (failure: string, round: Round, intervalMs?: number): UpkeepRound => ({
    failure,
    round: (stopping) => round(app, stopping),
    ...(intervalMs !== undefined && { times: { intervalMs, backOffMsMax: intervalMs } }),
  });
  const timed = (failure: string, round: Round) =>
    plain(failure, async (_app, stopping) => {
      const now = await trustedClock();
      return now !== undefined && round({ ...app, now }, stopping);
    });
  await confirmCallers(app);
  const keepLedger = await watchStore(app);
  const ledgerRound = async () => {
    try {
      await keepLedger();
    } catch (error) {
      if (isReplaced(error)) onReplaced?.(error);
      throw error;
    }
  };
  const scrub = besideWriters(app, () => scrubSome(app));
  const scrubRound: Round = (_app, stopping) => scrub(stopping);
  return [
    timed("purging expired tokens and outcomes failed", withPauses(purgePauseMs, purgeExpired)),
    ...Object.entries(added).map(([failure, round]) => timed(failure, round)),
    timed("applying retention failed", retentionRound(log)),
    timed("ending legal holds failed", holdRound(log)),
    timed("ending proposals failed", expireProposals),
    plain("finding deletions that take long failed", processingRound(log)),
    plain("scrubbing free space failed", withPauses(scrubPauseMs, scrubRound)),
    ...indexes.map(({ name, makeRound }) => ({
      failure: `building the index of ${name} failed`,
      round: makeRound(app),
      times: { intervalMs: indexIntervalMs },
    })),
    plain("updating the ledger of deletions failed", asRound(ledgerRound), ledgerIntervalMs),
    plain("reading the credentials version failed", asRound(confirmCallers), credentialsPollMs),
  ];
}

/** A round after which there is nothing more to do. */
function asRound(work: (app: App) => Promise<void>): Round {
  return async (app) => {
    await work(app);
    return false;
  };
}

export function withPauses(pauseMs: number, work: Round): Round {
  return async (app, signal) => {
    const more = await work(app, signal);
    if (more) await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    return more;
  };
}

/** Scans the records that can be due part by part, with pauses for others, and then waits. */
function retentionRound(log: Logger): Round {
  const marks: Marks = new Map();
  let place: RetentionPlace | undefined;
  return withPauses(purgePauseMs, async (app) => {
    const { queued, recent, next } = await applyRetention(app, place, marks);
    if (queued > 0) log.info({ queued }, "retention queued deletions");
    if (recent > 0) {
      log.warn({ recent }, "retention queued deletions of records that arrived within a day");
    }
    place = next;
    return next !== undefined;
  });
}

function processingRound(log: Logger): Round {
  let warnedOf = "";
  return asRound(async (app) => {
    const long = await listLongProcessing(app);
    const ids = long.map(({ deletionRequestId }) => deletionRequestId).join();
    if (ids !== warnedOf && ids !== "") log.warn({ long }, "deletions are processing for long");
    warnedOf = ids;
  });
}

function holdRound(log: Logger): Round {
  return async (app) => {
    const { ended, more } = await endHolds(app);
    if (ended > 0) log.info({ ended }, "legal holds have ended");
    return more;
  };
}
