// After a restore: replays every deletion that the ledger knows and the store has not completed, with the same claim,
// erasure and verification as any other deletion. The receipts say that it is a replay.

import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Deletion, openStatuses } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import { actOf, type App, currentTimeOf } from "../app.ts";
import { processDeletions } from "./process-deletions.ts";
import { withWaits } from "./deletion-wait.ts";
import { keepLedger } from "../ledger/keep-ledger.ts";
import { type Preparing, prepareReplay } from "../ledger/prepare-replay.ts";

export interface Replay {
  readonly replayedIds: readonly string[];
  /** Deletions that are not completed yet, and the reasons. */
  readonly waiting: readonly { readonly deletion: Deletion; readonly why: string }[];
  /** How many more wait, either for the listed ones or because there are too many to list. */
  readonly waitingMore: number;
}

export interface ReplayOptions extends Preparing {
  readonly claimant: string;
  readonly onProgress?: (done: number, all: number) => void;
}

const retryMs = 200;
const failuresMax = 20;

/**
 * Replays deletions in a store for which a restore was prepared, or that needs a replay. Throws OperatorError like
 * prepareReplay.
 */
export async function replayDeletions(given: App, options: ReplayOptions): Promise<Replay> {
  // Where the clock is behind what the backup knows, nothing would be due, and nobody could confirm the clock before.
  const app = { ...given, now: () => currentTimeOf(given) };
  await prepareReplay(app, options);
  await noteRestore(app);
  await app.store.replay.takeOver(randomInt(2 ** 32, 2 ** 48));
  const { queued, open } = await app.store.replay.countReplayed();
  const all = queued + open;
  const replayedIds: string[] = [];
  const onCompleted = (ids: readonly string[]) => {
    replayedIds.push(...ids);
    options.onProgress?.(replayedIds.length, all);
  };
  for (let failures = 0; failures < failuresMax;) {
    const before = replayedIds.length;
    await processRound(app, { ...options, onCompleted });
    if (await isOver(app)) break;
    if (replayedIds.length > before) continue;
    if (await isHeld(app)) break;
    failures += 1;
    await sleep(retryMs);
  }
  if (await isOver(app)) await finish(app);
  return { replayedIds, ...(await findWaiting(app)) };
}

interface Round extends ReplayOptions {
  readonly onCompleted: (ids: readonly string[]) => void;
}

async function processRound(app: App, round: Round): Promise<void> {
  const limit = limits.ledgerEntriesAtOnce;
  let after: Awaited<ReturnType<typeof app.store.replay.reopenDeletions>>["next"];
  do {
    const act = actOf(app);
    const part = await app.store.replay.reopenDeletions({ after, limit }, act);
    after = part.next;
    await processDue(app, round);
  } while (after !== undefined);
}

async function processDue(app: App, { claimant, onCompleted }: Round): Promise<void> {
  const stopping = new AbortController().signal;
  for (;;) {
    const all = await processDeletions(app, { claimant, stopping });
    const done = all.filter(({ result }) => result === "completed");
    if (done.length === 0) return;
    const again = done.filter(({ deletion }) => deletion.processedBefore !== undefined);
    if (again.length > 0) onCompleted(again.map(({ deletion }) => deletion.deletionRequestId));
  }
}

async function isOver({ store }: App): Promise<boolean> {
  const { queued, open } = await store.replay.countReplayed();
  return queued + open === 0;
}

/** True if all of them wait for an operator to release a hold. */
async function isHeld({ store }: App): Promise<boolean> {
  const { open, held } = await store.replay.countReplayed();
  return held > 0 && held === open;
}

/** From this entry on, the ledger continues the chains of the store in their current state. */
async function noteRestore({ store, ledger }: App): Promise<void> {
  const { cut, beganAt: at = 0, beganBy: by = "" } = (await store.replay.restoreState()) ?? {};
  if (cut === undefined) return;
  const { auditAnchor } = await ledger.state();
  const isNoted = auditAnchor !== undefined && auditAnchor.no >= cut.entry.no;
  if (!isNoted) await ledger.note([{ kind: "restore", at, by, ...cut }]);
}

async function finish(app: App): Promise<void> {
  await app.store.replay.finishReplay(actOf(app));
  await keepLedger(app);
}

async function findWaiting(app: App): Promise<Pick<Replay, "waiting" | "waitingMore">> {
  const lists = openStatuses.map((status) =>
    app.store.listDeletions({ status, limit: limits.ledgerEntriesAtOnce }),
  );
  const open = (await Promise.all(lists))
    .flat()
    .filter(({ processedBefore }) => processedBefore !== undefined);
  const left = await app.store.replay.countReplayed();
  return {
    waiting: (await withWaits(app, open)).map(({ deletion, waitsFor = "the worker" }) => ({
      deletion,
      why: waitsFor,
    })),
    waitingMore: Math.max(0, left.queued + left.open - open.length),
  };
}
