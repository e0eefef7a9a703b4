// Processes deletions that are due, many together, step by step. Every step is durable before the next one, and where it ended is
// stored with the deletion, so that after a crash the work resumes there. Never abandons a deletion.
//
// step       done by           takes                                      next
// obstacles  claimDeletions    what is due: approval, holds, floors       plan; or waits, with the reason
// plan       claimDeletions    what has no obstacle                       erase; several are planned together
// erase      eraseStep         the next targets of several plans          erase; parties, when a plan is done
// parties    completeDeletions a page of records that may name a party    parties; erase, if one was found
// verify     completeDeletions what is erased                             complete; erase, if anything is left
// complete   completeDeletions what is verified, in the same transaction  done: the receipt is written
//
// The deletion of an organization takes its steps in between those of others, and so does not delay them. Between its steps, and
// after each while others write, the worker rests (deletion-pace.ts). What fails is postponed, longer each time.

import { backOffMs } from "../../basics/back-off.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../domain/deletion/organization-deletion.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { StoreError } from "../../store/interface/store-error.ts";
import type { Completion, ErasureStep } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { DeletionPace } from "./deletion-pace.ts";
import { catchUpLedger, noteCompleting } from "../ledger/keep-ledger.ts";

/** The longest back-off of a deletion that fails, and of the worker. */
export const deletionBackOffMsMax = 5 * 60_000;
/** Verification passes that find something before an attempt ends and the reason is reported to operators. */
const verificationsMax = 20;
/** How often further deletions that are due join those that take long. */
const joiningIntervalMs = 1_000;

export type ProcessedDeletions =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "postponed"; readonly deletion: Deletion; readonly cause: unknown };

export interface ProcessOptions {
  /** Names this process. */
  readonly claimant: string;
  /** Ends the work between two steps. */
  readonly stopping: AbortSignal;
  /** What is known of writers from earlier calls. */
  readonly pace?: DeletionPace | undefined;
  /** Called as soon as the results of deletions are stored. */
  readonly onDone?: ((done: readonly ProcessedDeletions[]) => Promise<void>) | undefined;
}

/** Returns an empty list if nothing is due. A failure of one deletion does not affect the others. */
export async function processDeletions(
  app: App,
  options: ProcessOptions,
): Promise<readonly ProcessedDeletions[]> {
  const claimed = await claimAll(app, options.claimant);
  return claimed.length === 0 ? [] : await new DeletionBatch(app, options).process(claimed);
}

/** Claims deletions, up to as many as the store processes together. */
async function claimAll(
  { store, now: clock }: App,
  claimant: string,
  deletionsMax = store.deletionsAtOnce,
): Promise<readonly Deletion[]> {
  const claimed: Deletion[] = [];
  while (claimed.length < deletionsMax) {
    const now = clock();
    const claim = { now, leaseUntil: now + limits.deletionLeaseMs, claimant };
    try {
      const found = await store.claimDeletions(claim, deletionsMax - claimed.length);
      if (found.length === 0) break;
      claimed.push(...found);
    } catch (error) {
      if (claimed.length === 0) throw error;
      break;
    }
  }
  return claimed;
}

/** Deletions that take their steps together. */
class DeletionBatch {
  readonly #app: App;
  readonly #options: ProcessOptions;
  readonly #pace: DeletionPace;
  /** Deletions that are neither completed nor postponed, in the order of their next steps. */
  readonly #open = new Map<string, Deletion>();
  /** Open deletions of which nothing is left to erase. */
  readonly #erased = new Set<string>();
  /** Deletions that the ledger knows are about to be completed. */
  readonly #noted = new Set<string>();
  /** How many verification passes have found something, by deletion. */
  readonly #verifications = new Map<string, number>();
  #joinedAt = performance.now();

  constructor(app: App, options: ProcessOptions) {
    this.#app = app;
    this.#options = options;
    this.#pace = options.pace ?? new DeletionPace(app);
  }

  /**
   * Processes the claimed deletions and returns their results. Deletions that join them meanwhile are only reported.
   */
  async process(claimed: readonly Deletion[]): Promise<readonly ProcessedDeletions[]> {
    const results = new Map<string, ProcessedDeletions>();
    const own = new Set(claimed.map(idOf));
    for (const deletion of claimed) this.#open.set(idOf(deletion), deletion);
    while (this.#open.size > 0) {
      const done = await this.#takeSteps();
      for (const one of done) {
        const id = idOf(one.deletion);
        if (own.has(id)) results.set(id, one);
      }
      if (done.length > 0) await this.#options.onDone?.(done);
      await this.#join();
    }
    return [...results.values()];
  }

  /**
   * Takes the next step of each deletion, and returns the results of those that it ends. If the step fails as a whole,
   * all are postponed.
   */
  async #takeSteps(): Promise<readonly ProcessedDeletions[]> {
    const { stopping } = this.#options;
    try {
      stopping.throwIfAborted();
      const failed = await this.#erase();
      const ended = await this.#completeErased();
      return [...(await this.#postpone(failed)), ...ended];
    } catch (cause) {
      return this.#postpone([...this.#open.values()].map((deletion) => [deletion, cause]));
    }
  }

  /** Erases until a step has not ended any plan of records, or none is left. */
  async #erase(): Promise<readonly Failure[]> {
    const failures: Failure[] = [];
    const [organization] = this.#toErase(isOfOrganization);
    if (organization !== undefined) await this.#eraseOrganization(organization);
    for (;;) {
      const records = this.#toErase((deletion) => !isOfOrganization(deletion));
      const [first] = records;
      if (first === undefined) return failures;
      const outcomes = await this.#eraseRecords(records);
      let ended = 0;
      for (const [deletion, cause] of outcomes.failures) {
        failures.push([deletion, cause]);
        this.#open.delete(idOf(deletion));
        ended += 1;
      }
      for (const id of outcomes.done) {
        this.#erased.add(id);
        ended += 1;
      }
      if (ended > 0) continue;
      this.#yieldTurn(first);
      return failures;
    }
  }

  /** Lets another deletion take its turn first. */
  #yieldTurn(deletion: Deletion): void {
    this.#open.delete(idOf(deletion));
    this.#open.set(idOf(deletion), deletion);
  }

  #toErase(isWanted: (deletion: Deletion) => boolean): readonly Deletion[] {
    return [...this.#open.values()].filter(
      (deletion) => !this.#erased.has(idOf(deletion)) && isWanted(deletion),
    );
  }

  /** Takes one step. If it fails, each deletion takes a step of its own, so that one does not affect the others. */
  async #eraseRecords(
    deletions: readonly Deletion[],
  ): Promise<{ readonly done: readonly string[]; readonly failures: readonly Failure[] }> {
    const { stopping } = this.#options;
    try {
      const step = await this.#step(deletions, limits.erasureStepRecordsMax);
      const isEnd = step.done.length === deletions.length;
      if (!isEnd) await this.#pace.rest(step, stopping);
      return { done: step.done, failures: [] };
    } catch (cause) {
      stopping.throwIfAborted();
      const [only, ...others] = deletions;
      if (only === undefined) return { done: [], failures: [] };
      if (others.length === 0) return { done: [], failures: [[only, cause]] };
    }
    const all = { done: [] as string[], failures: [] as Failure[] };
    for (const deletion of deletions) {
      const { done, failures } = await this.#eraseRecords([deletion]);
      all.done.push(...done);
      all.failures.push(...failures);
    }
    return all;
  }

  async #eraseOrganization(deletion: Deletion): Promise<void> {
    await this.#note([deletion]);
    const step = await this.#step([deletion], this.#pace.rowsMax);
    for (const id of step.done) this.#erased.add(id);
    this.#yieldTurn(deletion);
    await this.#pace.restOfOrganization(step, this.#options.stopping);
  }

  #step(deletions: readonly Deletion[], recordsMax: number): Promise<ErasureStep> {
    const { store, now } = this.#app;
    return store.eraseStep(deletions.map(idOf), recordsMax, { actor: "worker", now: now() });
  }

  /** Must be called before anything is completed, so that the ledger knows every completed deletion. */
  async #note(deletions: readonly Deletion[]): Promise<void> {
    const first = deletions.filter((deletion) => !this.#noted.has(idOf(deletion)));
    if (first.length === 0) return;
    await noteCompleting(this.#app, first);
    for (const deletion of first) this.#noted.add(idOf(deletion));
  }

  async #completeErased(): Promise<readonly ProcessedDeletions[]> {
    const erased = [...this.#erased].flatMap((id) => this.#open.get(id) ?? []);
    if (erased.length === 0) return [];
    await this.#note(erased);
    const act = { actor: "worker", now: this.#app.now() };
    const outcomes = await this.#app.store.completeDeletions(erased.map(idOf), act);
    const completed: ProcessedDeletions[] = [];
    const failures: Failure[] = [];
    for (const [index, deletion] of erased.entries()) {
      const outcome = outcomes[index] ?? { result: "again" };
      const cause = this.#failureOf(deletion, outcome);
      if (cause !== undefined) failures.push([deletion, cause]);
      if (outcome.result === "completed") {
        completed.push(outcome);
        this.#end(deletion);
      }
    }
    // The deletions are completed even if this fails; upkeep then updates the ledger.
    if (completed.length > 0) await catchUpLedger(this.#app).catch(() => undefined);
    return [...completed, ...(await this.#postpone(failures))];
  }

  #failureOf(deletion: Deletion, outcome: Completion): unknown {
    const id = idOf(deletion);
    if (outcome.result === "failed") return outcome.cause;
    if (outcome.result !== "again") return undefined;
    this.#erased.delete(id);
    const passes = (this.#verifications.get(id) ?? 0) + 1;
    this.#verifications.set(id, passes);
    return passes === verificationsMax ? new Error(foundAgain) : undefined;
  }

  async #postpone(failures: readonly Failure[]): Promise<readonly ProcessedDeletions[]> {
    const postponed: ProcessedDeletions[] = [];
    for (const [deletion, cause] of failures) {
      this.#end(deletion);
      await postpone(this.#app, { deletion, cause }, this.#options.stopping);
      postponed.push({ result: "postponed", deletion, cause });
    }
    return postponed;
  }

  #end(deletion: Deletion): void {
    const id = idOf(deletion);
    this.#open.delete(id);
    this.#erased.delete(id);
    this.#noted.delete(id);
    this.#verifications.delete(id);
  }

  /** Claims further deletions that are due, so that they need not wait for those that take long. */
  async #join(): Promise<void> {
    const { stopping, claimant } = this.#options;
    const { deletionsAtOnce } = this.#app.store;
    if (this.#open.size === 0 || stopping.aborted) return;
    if (performance.now() - this.#joinedAt < joiningIntervalMs) return;
    const room = Math.max(1, deletionsAtOnce - this.#open.size);
    const claimed = await claimAll(this.#app, claimant, room).catch(() => []);
    for (const deletion of claimed) this.#open.set(idOf(deletion), deletion);
    this.#joinedAt = performance.now();
  }
}

type Failure = readonly [deletion: Deletion, cause: unknown];

function idOf({ deletionRequestId }: Deletion): string {
  return deletionRequestId;
}

const foundAgain =
  `${verificationsMax} verification passes have each found something that is left. They continue, but another program may be ` +
  "writing to the tables of the service.";

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

/** True if the cause ends by itself, such as a reader of the store, so that nobody has to act on it. */
export function isTemporary(cause: unknown): boolean {
  return cause instanceof Error && (cause as Partial<StoreError>).isTemporary === true;
}

/**
 * Describes the store's error rather than the API's. Uses only name and message, because other properties may contain
 * values of a row.
 */
export function describeCause(error: unknown): string {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : "not an error";
}
