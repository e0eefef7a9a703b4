// Completes deletions, as many as there are at once, in the one order that leaves no byte behind: look at the rows; bring the
// log into the file; wipe what erasing left there; then, in one transaction, wipe what came meanwhile, look once more and
// complete. Writers go on until that transaction, and wait for it no longer than for another group.
//
// Which pages of the file have to be looked at: a page changes only by way of the log. So once all have been looked at,
// these are the ones that the log has held since, as long as nobody can have lost sight of it; otherwise all once more.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../../domain/deletion.ts";
import { limits } from "../../domain/limits.ts";
import { StoreError } from "../store-error.ts";
import type { Act, Completion, SealedReceipt } from "../store.ts";
import type { Look as RowLook } from "./completion.ts";
import type { LargePlanner } from "./large-planner.ts";
import { emptyLogPlace, type LogPlace } from "./log-pages.ts";
import type { Scrubbing } from "./file-tasks.ts";
import type { PerformOperation } from "./commit/operation.ts";

export interface CompleterParts {
  readonly perform: PerformOperation;
  /** For what was related meanwhile and is too much to be planned in one step. */
  readonly planner: LargePlanner;
  readonly look: Scrubbing;
  readonly descriptor: () => number;
  /** Where a store is served: until `resume`, nobody else checkpoints. */
  readonly checkpoints: { pause(): Promise<void>; resume(): void } | undefined;
  /** Signs the receipts of deletions as they now are, one after another, tied to the end of the chain as it now is. */
  readonly seal: (ids: readonly string[], act: Act) => readonly (SealedReceipt | undefined)[];
}

/** How often reading processes are waited for, and how long each time. */
const attemptsMax = 4;
const pauseMs = 50;

export class DeletionCompleter {
  readonly #parts: CompleterParts;
  /** Where the log begins that holds every page written since the last look; undefined if that is not known. */
  #place: LogPlace | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: CompleterParts) {
    this.#parts = parts;
  }

  /** In the order of the ids. Those that are not clean hold none of the others back. One call is carried out at a time. */
  complete(ids: readonly string[], act: Act): Promise<readonly Completion[]> {
    const mine = this.#last.then(() => this.#complete(ids, act));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #complete(ids: readonly string[], act: Act): Promise<readonly Completion[]> {
    const outcomes = new Map<string, Completion>();
    const clean = await this.#verify(ids, act, outcomes);
    // One that is not clean at the last look moves the chain of receipts for those after it; they get another try.
    for (let left = clean, tries = 0; left.length > 0 && tries <= clean.length; tries += 1) {
      left = await this.#completeClean(left, act, outcomes);
    }
    return ids.map((id) => outcomes.get(id) ?? { result: "again" });
  }

  async #verify(
    ids: readonly string[],
    act: Act,
    outcomes: Map<string, Completion>,
  ): Promise<readonly string[]> {
    const looks = await Promise.all(
      ids.map((deletionRequestId) => this.#verifyOne(deletionRequestId, act).catch(toFailure)),
    );
    const clean: string[] = [];
    for (const [index, id] of ids.entries()) {
      const look = looks[index];
      if (look?.result === "clean") clean.push(id);
      else if (look !== undefined)
        outcomes.set(id, look.result === "failed" ? look : toCompletion(look));
    }
    return clean;
  }

  /** In steps, between which others are served. */
  async #verifyOne(deletionRequestId: string, act: Act): Promise<RowLook> {
    for (;;) {
      const look = await this.#parts.perform("verifyErasure", { deletionRequestId, act });
      if (look.result === "partly") continue;
      if (look.result !== "large") return look;
      const extended = await this.#parts.planner.extend(deletionRequestId, look.record, act.now);
      return extended ? { result: "found" } : { result: "held", waitingFor: "a hold" };
    }
  }

  /** Gives those that have to be tried again. */
  async #completeClean(
    ids: readonly string[],
    act: Act,
    outcomes: Map<string, Completion>,
  ): Promise<readonly string[]> {
    const results = await this.#whenNobodyReads(() => this.#wipeAndComplete(ids, act));
    const moved: string[] = [];
    for (const [index, id] of ids.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if ("result" in result && result.result === "moved") moved.push(id);
      else outcomes.set(id, toCompletion(result));
    }
    return moved;
  }

  async #wipeAndComplete(ids: readonly string[], act: Act) {
    const { perform, seal, descriptor, checkpoints } = this.#parts;
    // Before the checkpoints give up their hold on the WAL.
    if (this.#place !== undefined) await perform("keepLog", undefined);
    await checkpoints?.pause();
    try {
      await this.#wipeFile();
      const sealed = seal(ids, act);
      const completions = ids.map((deletionRequestId, index) => ({
        deletionRequestId,
        act,
        sealed: sealed[index],
      }));
      const { results, place } = await perform("completeDeletions", {
        completions,
        descriptor: descriptor(),
      });
      this.#place = place;
      return results;
    } finally {
      await perform("releaseFile", undefined);
      checkpoints?.resume();
    }
  }

  /** Leaves nothing in the unused places of the file, but for pages that are in the log; and little that is only there. */
  async #wipeFile(): Promise<void> {
    const { perform, look } = this.#parts;
    let place = this.#place;
    this.#place = undefined;
    for (let round = 0; round < limits.looksAtFileMax; round += 1) {
      await look.wipe(await this.#freeze(place));
      place = emptyLogPlace;
      const since = await look.readLog(place);
      if (since !== undefined && since.place.frames <= limits.framesAtCompletionMax) break;
    }
    await perform("keepLog", undefined);
    await look.bringIn();
  }

  /** Gives the pages that the log has held since `place`, which are in the file now; undefined if that is not known. */
  async #freeze(place: LogPlace | undefined): Promise<readonly number[] | undefined> {
    const { perform, look } = this.#parts;
    if (place !== undefined) await perform("keepLog", undefined);
    const committed = await look.bringIn();
    const part = place === undefined ? undefined : await look.readLog(place);
    if (part === undefined) {
      await perform("freezeFile", { place: undefined });
      return undefined;
    }
    const { generation, frames } = part.place;
    const rest = await perform("freezeFile", {
      place: { generation, frames: Math.min(frames, committed) },
    });
    return rest === undefined ? undefined : [...part.pages, ...rest.pages];
  }

  /** Short reads are waited for between the attempts, so that writers need not wait for them. */
  async #whenNobodyReads<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StoreError) || attempt === attemptsMax) throw error;
        await sleep(pauseMs);
      }
    }
  }
}

function toFailure(cause: unknown) {
  return { result: "failed", cause } as const;
}

function toCompletion(result: RowLook | Deletion | ReturnType<typeof toFailure>): Completion {
  if (!("result" in result)) return { result: "completed", deletion: result };
  if (result.result === "failed") return result;
  if (result.result !== "held") return { result: "again" };
  const why = `Something related arrived meanwhile that waits for ${result.waitingFor}.`;
  return { result: "failed", cause: new StoreError(why) };
}
