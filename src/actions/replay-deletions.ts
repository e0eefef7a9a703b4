// After a restore: carries out again every deletion that the ledger knows and the store has not completed. Goes through the
// same claim, erasure and verification as any other deletion, and ends with receipts that say so.

import { setTimeout as sleep } from "node:timers/promises";
import { type Deletion, openStatuses } from "../domain/deletion.ts";
import { limits } from "../domain/limits.ts";
import { entryOfReceipt, type LedgerEntry } from "../domain/ledger-entry.ts";
import type { App } from "./app.ts";
import { carryOutDeletions } from "./carry-out-deletions.ts";
import { explainWaits } from "./explain-wait.ts";
import { catchUpLedger } from "./keep-ledger.ts";

export interface Replay {
  /** Deletions that were carried out again. */
  readonly carriedOut: readonly Deletion[];
  /** What is still to be done, and why it is not. */
  readonly waiting: readonly { readonly deletion: Deletion; readonly why: string }[];
}

export interface ReplayOptions {
  /** Ledgers of other hosts, or files of receipts, beside this one's own. */
  readonly entries?: AsyncIterable<LedgerEntry>;
  readonly claimant: string;
  readonly onProgress?: (done: number, all: number) => void;
}

const retryMs = 200;
const failuresMax = 20;

export async function replayDeletions(app: App, options: ReplayOptions): Promise<Replay> {
  await reopenAll(app, options);
  const all = await app.store.countReopened();
  const carriedOut: Deletion[] = [];
  const never = new AbortController().signal;
  for (let failures = 0; failures < failuresMax;) {
    const done = await carryOutDeletions(app, { claimant: options.claimant, stopping: never });
    const completed = done.filter(({ result }) => result === "completed");
    for (const { deletion } of completed) {
      if (deletion.carriedOutBefore !== undefined) carriedOut.push(deletion);
    }
    if (completed.length > 0) {
      options.onProgress?.(carriedOut.length, all);
      continue;
    }
    const left = await app.store.countReopened();
    const { held } = await app.store.deletionFigures(app.now());
    if (left === 0 || held >= left) break;
    failures += 1;
    await sleep(retryMs);
  }
  await tieLedgerToStore(app);
  return { carriedOut, waiting: await findWaiting(app) };
}

/** The end of the chain moves with the last part, so that a crash before leaves all of it to be done again. */
async function reopenAll(app: App, { entries }: ReplayOptions): Promise<void> {
  const latest = new Map<string, LedgerEntry>();
  let head: { readonly receiptNo: number; readonly hash: string } | undefined;
  for (const source of entries === undefined ? [app.ledger.read()] : [app.ledger.read(), entries]) {
    for await (const entry of source) {
      if (entry.completed !== undefined || !latest.has(entry.deletionRequestId)) {
        latest.set(entry.deletionRequestId, entry);
      }
      const { receiptNo = 0, receiptHash = "" } = entry.completed ?? {};
      if (receiptNo > (head?.receiptNo ?? 0)) head = { receiptNo, hash: receiptHash };
    }
  }
  const act = { actor: "operator", now: app.now() };
  const ordered = [...latest.values()].sort(byReceipt);
  while (ordered.length > limits.ledgerEntriesAtOnce) {
    const part = ordered.splice(0, limits.ledgerEntriesAtOnce);
    await app.store.reopenDeletions({ entries: part, head: undefined }, act);
  }
  await app.store.reopenDeletions({ entries: ordered, head }, act);
}

/** In the order in which they were completed; those without a receipt were under way at the end. */
function byReceipt(one: LedgerEntry, other: LedgerEntry): number {
  return (
    (one.completed?.receiptNo ?? Number.MAX_SAFE_INTEGER) -
    (other.completed?.receiptNo ?? Number.MAX_SAFE_INTEGER)
  );
}

/** From here on the store's own chain is what the ledger goes by, also where a restored one had gone on by itself. */
async function tieLedgerToStore(app: App): Promise<void> {
  await catchUpLedger(app);
  const { receiptNo } = await app.store.receiptHead();
  const [last] = await app.store.listReceipts(receiptNo - 1, 1);
  if (last !== undefined) await app.ledger.note([entryOfReceipt(last.receipt, last.hash)]);
}

async function findWaiting(app: App): Promise<Replay["waiting"]> {
  const lists = openStatuses.map((status) =>
    app.store.listDeletions({ status, limit: limits.ledgerEntriesAtOnce }),
  );
  const open = (await Promise.all(lists))
    .flat()
    .filter(({ carriedOutBefore }) => carriedOutBefore !== undefined);
  const waits = await explainWaits(app, open);
  return open.map((deletion) => ({
    deletion,
    why: waits.get(deletion.deletionRequestId) ?? "the worker",
  }));
}
