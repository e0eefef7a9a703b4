// Completes deletions, as many as there are at once, in the one order that leaves no byte behind: look at the rows; checkpoint the
// WAL; scrub what erasing left there; then, in one transaction, scrub what came meanwhile, look once more and
// complete. Writers go on until that transaction, and wait for it no longer than for another group.
//
// Which pages of the file have to be looked at: a page changes only by way of the WAL. So once all have been looked at,
// these are the ones that the WAL has held since, as long as nobody can have lost sight of it; otherwise all once more.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { StoreError } from "../../store-error.ts";
import type { Act, Completion, SealedReceipt } from "../../store.ts";
import type { VerificationResult } from "./verification.ts";
import type { LargePlanner } from "./large-planner.ts";
import { emptyWalPosition, type WalPosition } from "../file/wal-pages.ts";
import type { Scrubber } from "../file/file-tasks.ts";
import type { PerformOperation } from "../commit/operation.ts";

/** Scans beside writers, each of the pages written since the previous one, before the last scan. */
const scrubRoundsMax = 5;
/** A WAL of at most this many frames is left to the last scan. */
const framesAtCompletionMax = 4_000;

export interface CompleterParts {
  readonly perform: PerformOperation;
  /** For what was related meanwhile and is too much to be planned in one step. */
  readonly planner: LargePlanner;
  readonly scrubber: Scrubber;
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
  /** Where the WAL begins that holds every page written since the last look; undefined if that is not known. */
  #position: WalPosition | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: CompleterParts) {
    this.#parts = parts;
  }

  /** In the order of the ids. Those that are not clean hold none of the others back. One call is processed at a time. */
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
    const verifications = await Promise.all(
      ids.map((deletionRequestId) => this.#verifyOne(deletionRequestId, act).catch(toFailure)),
    );
    const clean: string[] = [];
    for (const [index, id] of ids.entries()) {
      const verification = verifications[index];
      if (verification?.result === "clean") clean.push(id);
      else if (verification !== undefined)
        outcomes.set(
          id,
          verification.result === "failed" ? verification : toCompletion(verification),
        );
    }
    return clean;
  }

  /** In steps, between which others are served. */
  async #verifyOne(deletionRequestId: string, act: Act): Promise<VerificationResult> {
    for (;;) {
      const verification = await this.#parts.perform("verifyErasure", { deletionRequestId, act });
      if (verification.result === "partly") continue;
      if (verification.result !== "large") return verification;
      const extended = await this.#parts.planner.extend(
        deletionRequestId,
        verification.record,
        act.now,
      );
      return extended ? { result: "found" } : { result: "held", waitingFor: "a hold" };
    }
  }

  /** Gives those that have to be tried again. */
  async #completeClean(
    ids: readonly string[],
    act: Act,
    outcomes: Map<string, Completion>,
  ): Promise<readonly string[]> {
    const results = await this.#whenNobodyReads(() => this.#scrubAndComplete(ids, act));
    const moved: string[] = [];
    for (const [index, id] of ids.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if ("result" in result && result.result === "moved") moved.push(id);
      else outcomes.set(id, toCompletion(result));
    }
    return moved;
  }

  async #scrubAndComplete(ids: readonly string[], act: Act) {
    const { perform, seal, descriptor, checkpoints } = this.#parts;
    // Before the checkpoints give up their hold on the WAL.
    if (this.#position !== undefined) await perform("pinWal", undefined);
    await checkpoints?.pause();
    try {
      await this.#scrubFile();
      const sealed = seal(ids, act);
      const completions = ids.map((deletionRequestId, index) => ({
        deletionRequestId,
        act,
        sealed: sealed[index],
      }));
      const { results, position } = await perform("completeDeletions", {
        completions,
        descriptor: descriptor(),
      });
      this.#position = position;
      return results;
    } finally {
      await perform("releaseCheckpoints", undefined);
      checkpoints?.resume();
    }
  }

  /** Leaves nothing in the unused places of the file, but for pages that are in the WAL; and little that is only there. */
  async #scrubFile(): Promise<void> {
    const { perform, scrubber } = this.#parts;
    let position = this.#position;
    this.#position = undefined;
    for (let round = 0; round < scrubRoundsMax; round += 1) {
      await scrubber.scrub(await this.#freezeCheckpoints(position));
      position = emptyWalPosition;
      const since = await scrubber.readWal(position);
      if (since !== undefined && since.position.frames <= framesAtCompletionMax) break;
    }
    await perform("pinWal", undefined);
    await scrubber.passiveCheckpoint();
  }

  /** Gives the pages that the WAL has held since `position`, which are in the file now; undefined if that is not known. */
  async #freezeCheckpoints(
    position: WalPosition | undefined,
  ): Promise<readonly number[] | undefined> {
    const { perform, scrubber } = this.#parts;
    if (position !== undefined) await perform("pinWal", undefined);
    const committed = await scrubber.passiveCheckpoint();
    const part = position === undefined ? undefined : await scrubber.readWal(position);
    if (part === undefined) {
      await perform("freezeCheckpoints", { position: undefined });
      return undefined;
    }
    const { generation, frames } = part.position;
    const rest = await perform("freezeCheckpoints", {
      position: { generation, frames: Math.min(frames, committed) },
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

function toCompletion(
  result: VerificationResult | Deletion | ReturnType<typeof toFailure>,
): Completion {
  if (!("result" in result)) return { result: "completed", deletion: result };
  if (result.result === "failed") return result;
  if (result.result !== "held") return { result: "again" };
  const why = `Something related arrived meanwhile that waits for ${result.waitingFor}.`;
  return { result: "failed", cause: new StoreError(why) };
}
