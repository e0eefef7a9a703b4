// Processes deletions that are due, many together, step by step. Every step is durable before the next one, and where
// it ended is stored with the deletion, so that after a crash the work resumes there. Never abandons a deletion.
//
// step       done by           takes                                      next
// obstacles  claimDeletions    what is due: approval, holds, floors       plan; or waits, with the reason
// plan       claimDeletions    what has no obstacle                       erase; several are planned together
// erase      eraseStep         the next targets of several plans          erase; verify, when a plan is done
// verify     completeDeletions what is erased, and what names a party     complete; erase, if anything is left
// complete   completeDeletions what is verified, in the same transaction  done: the receipt is written
//
// What is erased is completed while others are claimed and erased, so that signing and syncing don't wait for each
// other. The deletion of an organization takes its steps in between those of others, and so does not delay them.
// Between its steps, and after each while others write, the worker rests (deletion-pace.ts). What fails is postponed,
// longer each time.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { limits } from "../../domain/limits.ts";
import type {
  ClaimedDeletion,
  CompletedDeletion,
  Completion,
  ErasureStep,
} from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { DeletionPace } from "./deletion-pace.ts";
import { afterTurnOf, inTurn } from "./deletion-turns.ts";
import { catchUpLedger, recordInLedger } from "../ledger/keep-ledger.ts";
import { failureOf, pauseWrites, type Verifying } from "./found-again.ts";
import { postpone } from "./postpone-deletion.ts";

/** How often further due deletions can join deletions that take long. */
const joiningIntervalMs = 1_000;

/** After this time what was claimed is processed first: to plan large deletions takes long, and others wait. */
const claimingMsMax = 1_000;

export type ProcessedDeletions =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "postponed"; readonly deletion: Deletion; readonly cause: unknown };

export interface ProcessOptions {
  /** Names this process. */
  readonly claimant: string;
  /** Ends the work between two steps. */
  readonly stopping: AbortSignal;
  /** What earlier calls have learned about writers. */
  readonly pace?: DeletionPace | undefined;
  /** Called as soon as the results of deletions are stored. */
  readonly onDone?: ((done: readonly ProcessedDeletions[]) => Promise<void>) | undefined;
}

/**
 * Returns an empty list if nothing is due. A failure of one deletion does not affect the others. Throws what the store
 * throws if it can't postpone one, after the others.
 */
export async function processDeletions(
  app: App,
  options: ProcessOptions,
): Promise<readonly ProcessedDeletions[]> {
  const claimed = await claimAll(app, options);
  return claimed.length === 0 ? [] : await new DeletionBatch(app, options).process(claimed);
}

async function claimAll(
  { store, now: clock }: App,
  { claimant, stopping }: Pick<ProcessOptions, "claimant" | "stopping">,
  deletionsMax: number = limits.deletionsAtOnceMax,
): Promise<readonly ClaimedDeletion[]> {
  const claimed: ClaimedDeletion[] = [];
  const until = performance.now() + claimingMsMax;
  const mayClaim = () => claimed.length === 0 || performance.now() < until;
  while (claimed.length < deletionsMax && !stopping.aborted && mayClaim()) {
    const now = clock();
    const claim = { now, leaseUntil: now + limits.deletionLeaseMs, claimant, stopping };
    try {
      const part = await store.claimDeletions(claim, deletionsMax - claimed.length);
      claimed.push(...part);
      // A deletion whose plan fails may be due until it is postponed, and would be claimed again at once.
      if (part.length === 0 || part.some(({ failure }) => failure !== undefined)) break;
    } catch (error) {
      if (claimed.length === 0) throw error;
      break;
    }
  }
  return claimed;
}

/** A claimed deletion that is neither completed nor postponed. */
interface Open extends Verifying {
  /** The ledger contains that it is about to be completed. */
  isNoted: boolean;
}

class DeletionBatch {
  readonly #app: App;
  readonly #options: ProcessOptions;
  readonly #pace: DeletionPace;
  /** In the order of their next steps. */
  #open = new Map<string, Open>();
  /** Results that are not reported yet. */
  #done: ProcessedDeletions[] = [];
  /** Why deletions can't be postponed. */
  readonly #failures: unknown[] = [];
  #joinedAt = performance.now();
  /** Whether the last claim took as many as it was allowed to. */
  #mayBeMore = false;

  constructor(app: App, options: ProcessOptions) {
    this.#app = app;
    this.#options = options;
    this.#pace = options.pace ?? new DeletionPace(app);
  }

  /** Returns their results. Deletions that join them meanwhile are only reported. */
  async process(claimed: readonly ClaimedDeletion[]): Promise<readonly ProcessedDeletions[]> {
    const results: ProcessedDeletions[] = [];
    const own = new Set(claimed.map(idOf));
    await this.#add(claimed, limits.deletionsAtOnceMax);
    do {
      await this.#takeSteps();
      const done = this.#done;
      this.#done = [];
      results.push(...done.filter(({ deletion }) => own.has(idOf(deletion))));
      if (done.length > 0) await this.#options.onDone?.(done);
    } while (this.#open.size > 0);
    if (this.#failures.length > 0) throw this.#failures[0];
    return results;
  }

  async #add(claimed: readonly ClaimedDeletion[], deletionsMax: number): Promise<void> {
    this.#mayBeMore = claimed.length === deletionsMax;
    for (const { failure, ...deletion } of claimed) {
      const open = { deletion, isErased: false, isNoted: false, verifications: 0 };
      this.#open.set(idOf(deletion), open);
      if (failure !== undefined) await this.#postpone(open, failure);
    }
  }

  /** Completes erased deletions while others are erased. If a step fails as a whole, its deletions are postponed. */
  async #takeSteps(): Promise<void> {
    const erased = new Set([...this.#open.values()].filter(({ isErased }) => isErased));
    const ends = await Promise.allSettled([
      this.#attempt(
        () => this.#complete([...erased]),
        (one) => erased.has(one),
      ),
      this.#attempt(
        () => this.#eraseOthers(),
        (one) => !erased.has(one),
      ),
    ]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  async #attempt(work: () => Promise<void>, isConcerned: (one: Open) => boolean): Promise<void> {
    try {
      this.#options.stopping.throwIfAborted();
      await work();
    } catch (cause) {
      for (const one of this.#open.values()) if (isConcerned(one)) await this.#postpone(one, cause);
    }
  }

  async #eraseOthers(): Promise<void> {
    await this.#join();
    await this.#erase();
  }

  /** Erases until a step has ended no plan of records, or none is left. */
  async #erase(): Promise<void> {
    const [organization] = this.#toErase(isOfOrganization);
    if (organization !== undefined) await this.#eraseOrganization(organization);
    for (let hasEnded = true; hasEnded;) {
      const records = this.#toErase((deletion) => !isOfOrganization(deletion));
      const [first] = records;
      if (first === undefined) return;
      hasEnded = await this.#eraseRecords(inTurn(records));
      this.#yieldTurn(first);
    }
  }

  /** What is erased keeps its order, in which it is completed. */
  #yieldTurn(one: Open): void {
    const erased = [...this.#open.values()].filter(({ isErased }) => isErased);
    const left = this.#toErase(() => true);
    const all = [...erased, ...afterTurnOf(one, left)];
    this.#open = new Map(all.map((next) => [idOf(next.deletion), next]));
  }

  #toErase(isWanted: (deletion: Deletion) => boolean): readonly Open[] {
    return [...this.#open.values()].filter((one) => !one.isErased && isWanted(one.deletion));
  }

  /** True if the step ended any plan. If it fails, each deletion takes it separately, so that none affects others. */
  async #eraseRecords(some: readonly Open[]): Promise<boolean> {
    const { stopping } = this.#options;
    try {
      const step = await this.#step(some, limits.erasureStepRecordsMax);
      if (step.done.length < some.length) await this.#pace.rest(step, stopping);
      return step.done.length > 0;
    } catch (cause) {
      stopping.throwIfAborted();
      const [only, ...others] = some;
      if (only !== undefined && others.length === 0) {
        await this.#postpone(only, cause);
        return true;
      }
    }
    let ended = false;
    for (const one of some) if (await this.#eraseRecords([one])) ended = true;
    return ended;
  }

  async #eraseOrganization(one: Open): Promise<void> {
    await this.#note([one]);
    const step = await this.#step([one], this.#pace.rowsMax);
    this.#yieldTurn(one);
    await this.#pace.restOfOrganization(step, this.#options.stopping);
  }

  async #step(some: readonly Open[], recordsMax: number): Promise<ErasureStep> {
    const { store, now } = this.#app;
    const act = { actor: "worker", now: now() };
    const step = await store.eraseStep(idsOf(some), recordsMax, act);
    const done = new Set(step.done);
    for (const one of some) if (done.has(idOf(one.deletion))) one.isErased = true;
    return step;
  }

  /** Call before anything is completed, so that the ledger contains every completed deletion. */
  async #note(some: readonly Open[]): Promise<void> {
    const first = some.filter((one) => !one.isNoted);
    if (first.length === 0) return;
    await recordInLedger(
      this.#app,
      first.map(({ deletion }) => deletion),
    );
    for (const one of first) one.isNoted = true;
  }

  async #complete(erased: readonly Open[]): Promise<void> {
    if (erased.length === 0) return;
    const startedAt = performance.now();
    await this.#note(erased);
    const act = { actor: "worker", now: this.#app.now() };
    this.#pace.beginCompleting(erased.length);
    let completed: readonly CompletedDeletion[] = [];
    let outcomes: readonly Completion[];
    try {
      outcomes = await this.#app.store.completeDeletions(idsOf(erased), act);
      completed = outcomes.filter((outcome) => outcome.result === "completed");
    } finally {
      this.#pace.endCompleting(completed.reduce((sum, { notices }) => sum + notices, 0));
    }
    for (const outcome of completed) this.#end(outcome);
    // The deletions are completed even if this fails; upkeep then updates the ledger.
    if (completed.length > 0) await catchUpLedger(this.#app).catch(() => undefined);
    for (const [index, one] of erased.entries()) {
      const cause = failureOf(one, outcomes[index] ?? { result: "again" });
      if (cause !== undefined) await this.#postpone(one, cause);
      await pauseWrites(this.#app, one, { isLeft: this.#open.has(idOf(one.deletion)) });
    }
    const tookMs = performance.now() - startedAt;
    await this.#pace.restOfCompleted({ count: completed.length, tookMs }, this.#options.stopping);
  }

  /** If the store fails here too, the other deletions are processed before the caller learns of it. */
  async #postpone(one: Open, cause: unknown): Promise<void> {
    const { deletion } = one;
    const { stopping } = this.#options;
    this.#open.delete(idOf(deletion));
    // Their leases end by themselves: a store that waits must not delay a stop once for each of them.
    if (stopping.aborted && this.#failures.length > 0) return;
    try {
      await postpone(this.#app, { deletion, cause }, stopping);
      this.#done.push({ result: "postponed", deletion, cause });
    } catch (error) {
      this.#failures.push(error);
    }
  }

  #end(done: ProcessedDeletions): void {
    this.#open.delete(idOf(done.deletion));
    this.#done.push(done);
  }

  /** Claims further due deletions, so that they need not wait for deletions that take long or are being completed. */
  async #join(): Promise<void> {
    const waiting = this.#toErase(() => true).length;
    const isNext = this.#mayBeMore && waiting === 0;
    if (!isNext && performance.now() - this.#joinedAt < joiningIntervalMs) return;
    const room = Math.max(1, limits.deletionsAtOnceMax - waiting);
    await this.#add(await claimAll(this.#app, this.#options, room).catch(() => []), room);
    this.#joinedAt = performance.now();
  }
}

function idOf({ deletionRequestId }: Deletion): string {
  return deletionRequestId;
}

function idsOf(some: readonly Open[]): readonly string[] {
  return some.map(({ deletion }) => idOf(deletion));
}
