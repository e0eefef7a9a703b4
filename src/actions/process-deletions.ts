// Processes deletions that are due, several together: claim, erase in bounded steps, verify, complete. Every step is durable
// before the next one, so that after a crash the work resumes. Never abandons a deletion.

import { backOffMs } from "../domain/back-off.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { isPartyType } from "../domain/deletion/party.ts";
import { AppError } from "../domain/error.ts";
import { isOfOrganization } from "../domain/deletion/organization-deletion.ts";
import { limits } from "../domain/limits.ts";
import type { Completion } from "../store/store.ts";
import type { App } from "./app.ts";
import { eraseOrganization } from "./erase-organization.ts";
import { catchUpLedger, noteCompleting } from "./keep-ledger.ts";

/** The longest back-off of a deletion that fails, and of the worker. */
export const deletionBackOffMsMax = 5 * 60_000;
/** Deletions that share the transactions of one step. */
const deletionsErasedAtOnceMax = 16;
/** Deletions of persons and companies that share a scan of the transactions. */
const partiesAtOnceMax = 64;
/** Verification passes that find something before an attempt ends and the reason is reported to operators. */
const verificationsMax = 20;

export type ProcessedDeletions =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "postponed"; readonly deletion: Deletion; readonly cause: unknown };

export interface ProcessOptions {
  /** Names this process. */
  readonly claimant: string;
  /** Ends the work between two steps. */
  readonly stopping: AbortSignal;
  /** Called as soon as the result of a deletion is stored. */
  readonly onDone?: ((done: ProcessedDeletions) => Promise<void>) | undefined;
  /** The deletion of an organization that is being processed; further ones have to wait. */
  readonly organizationInProgress?: string;
}

/** The claimed deletions and their results so far. */
interface Batch {
  readonly claimed: readonly Deletion[];
  readonly results: Map<string, ProcessedDeletions>;
  /** How many verification passes have found something, by deletion. */
  readonly verifications: Map<string, number>;
  readonly stopping: AbortSignal;
}

/** Returns an empty list if nothing is due. A failure of one deletion does not affect the others. */
export async function processDeletions(
  app: App,
  options: ProcessOptions,
): Promise<readonly ProcessedDeletions[]> {
  const all = await claimAll(app, options.claimant);
  const claimed = all.filter((deletion) => !isOfOrganization(deletion));
  const results = claimed.length === 0 ? [] : await processBatch(app, claimed, options);
  for (const deletion of all.filter(isOfOrganization)) {
    results.push(...(await processOrganization(app, deletion, options)));
  }
  return results;
}

async function processBatch(
  app: App,
  claimed: readonly Deletion[],
  { stopping, onDone }: ProcessOptions,
): Promise<ProcessedDeletions[]> {
  const batch: Batch = { claimed, results: new Map(), verifications: new Map(), stopping };
  try {
    await eraseAndComplete(app, batch);
  } catch (cause) {
    for (const deletion of openOf(batch))
      setResult(batch, { result: "postponed", deletion, cause });
  }
  const results = [...batch.results.values()];
  // They are completed even if this fails; upkeep then updates the ledger.
  if (results.some(isCompleted)) await catchUpLedger(app).catch(() => undefined);
  for (const done of results) {
    if (done.result === "postponed") await postpone(app, done, stopping);
    await onDone?.(done);
  }
  return results;
}

/**
 * Erases everything of an organization, which may take minutes. In between, other deletions that are due are processed,
 * and the erasure rests, so that most of the time is left to writers.
 */
async function processOrganization(
  app: App,
  deletion: Deletion,
  options: ProcessOptions,
): Promise<readonly ProcessedDeletions[]> {
  const { deletionRequestId: id } = deletion;
  const { stopping, organizationInProgress } = options;
  if (organizationInProgress === id) return [];
  if (organizationInProgress !== undefined) {
    const next = app.now() + limits.heldDeletionRetryMs;
    await app.store.postponeDeletion(id, `the deletion ${organizationInProgress}`, next);
    return [];
  }
  const others: ProcessedDeletions[] = [];
  const processOthers = async () => {
    others.push(...(await processDeletions(app, { ...options, organizationInProgress: id })));
  };
  try {
    await noteCompleting(app, [deletion]);
    await eraseOrganization(app, deletion, { stopping, processOthers });
  } catch (cause) {
    const postponed = { result: "postponed", deletion, cause } as const;
    await postpone(app, postponed, stopping);
    await options.onDone?.(postponed);
    return [...others, postponed];
  }
  return [...others, ...(await processBatch(app, [deletion], options))];
}

/** True if a round has processed as many deletions as the store processes together; more may be due. */
export function isFullRound({ store }: App, round: readonly ProcessedDeletions[]): boolean {
  return round.length > 1 && round.length === store.deletionsAtOnce;
}

async function claimAll(app: App, claimant: string): Promise<readonly Deletion[]> {
  const { store } = app;
  const claimed: Deletion[] = [];
  let asked = 1;
  let limit = store.deletionsAtOnce;
  while (claimed.length < limit) {
    const now = app.now();
    const claim = { now, leaseUntil: now + limits.deletionLeaseMs, claimant };
    const claims = Array.from({ length: asked }, () => store.claimDeletion(claim));
    const answers = await Promise.allSettled(claims);
    const found = answers.flatMap((answer) =>
      answer.status === "fulfilled" && answer.value !== undefined ? [answer.value] : [],
    );
    claimed.push(...found);
    const failed = answers.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected" && claimed.length === 0) throw failed.reason;
    if (found.length < asked) break;
    if (found.some(({ resourceType }) => isPartyType(resourceType))) {
      limit = Math.max(limit, partiesAtOnceMax);
    }
    // More at a time, because there is nearly always either one deletion or many.
    const most = Math.min(asked * 4, deletionsErasedAtOnceMax);
    asked = Math.min(most, limit - claimed.length);
  }
  return claimed;
}

/** Deletions whose plan is done are completed while others, with more to erase, continue. */
async function eraseAndComplete(app: App, batch: Batch): Promise<void> {
  for (let open = openOf(batch); open.length > 0; open = openOf(batch)) {
    const erased: Deletion[] = [];
    for (let at = 0; at < open.length; at += deletionsErasedAtOnceMax) {
      const part = open.slice(at, at + deletionsErasedAtOnceMax);
      erased.push(...(await eraseStepOfEach(app, batch, part)));
    }
    if (erased.length > 0) await completeAll(app, batch, erased);
  }
}

/** One step of each; the steps share a transaction and its bound. Returns those with nothing left to erase. */
async function eraseStepOfEach(
  app: App,
  batch: Batch,
  part: readonly Deletion[],
): Promise<readonly Deletion[]> {
  batch.stopping.throwIfAborted();
  const act = { actor: "worker", now: app.now() };
  const recordsMax = Math.max(1, Math.floor(limits.erasureStepRecordsMax / part.length));
  const erased: Deletion[] = [];
  async function eraseOne(deletion: Deletion): Promise<void> {
    try {
      const step = await app.store.eraseStep(deletion.deletionRequestId, recordsMax, act);
      if (step.done) erased.push(deletion);
    } catch (cause) {
      setResult(batch, { result: "postponed", deletion, cause });
    }
  }
  await Promise.all(part.map(eraseOne));
  return erased;
}

async function completeAll(app: App, batch: Batch, erased: readonly Deletion[]): Promise<void> {
  const { verifications, stopping } = batch;
  stopping.throwIfAborted();
  const first = erased.filter(({ deletionRequestId }) => !verifications.has(deletionRequestId));
  if (first.length > 0) await noteCompleting(app, first);
  const ids = erased.map(({ deletionRequestId }) => deletionRequestId);
  const act = { actor: "worker", now: app.now() };
  const outcomes = await app.store.completeDeletions(ids, act);
  for (const [index, deletion] of erased.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) handleVerification(batch, deletion, outcome);
  }
}

function handleVerification(batch: Batch, deletion: Deletion, outcome: Completion): void {
  if (outcome.result === "completed") return setResult(batch, outcome);
  const { verifications } = batch;
  const { deletionRequestId } = deletion;
  const passes = verifications.get(deletionRequestId) ?? 0;
  const count = outcome.result === "scanning" ? passes : passes + 1;
  verifications.set(deletionRequestId, count);
  if (outcome.result === "failed") {
    setResult(batch, { result: "postponed", deletion, cause: outcome.cause });
  } else if (count === verificationsMax) {
    setResult(batch, { result: "postponed", deletion, cause: new Error(foundAgain) });
  }
}

const foundAgain =
  `${verificationsMax} verification passes have each found something that is left. They continue, but another program may be ` +
  "writing to the tables of the service.";

function openOf({ claimed, results }: Batch): readonly Deletion[] {
  return claimed.filter(({ deletionRequestId }) => !results.has(deletionRequestId));
}

function setResult({ results }: Batch, result: ProcessedDeletions): void {
  results.set(result.deletion.deletionRequestId, result);
}

function isCompleted({ result }: ProcessedDeletions): boolean {
  return result === "completed";
}

async function postpone(
  app: App,
  { deletion, cause }: { readonly deletion: Deletion; readonly cause: unknown },
  stopping: AbortSignal,
): Promise<void> {
  await app.store.postponeDeletion(
    deletion.deletionRequestId,
    stopping.aborted ? "the service stopped" : describeCause(cause),
    app.now() + (stopping.aborted ? 0 : backOffMs(deletion.attempts, 1_000, deletionBackOffMsMax)),
  );
}

/** The store's error rather than the API's. Only name and message: other properties may contain values of a row. */
export function describeCause(error: unknown): string {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : "not an error";
}
