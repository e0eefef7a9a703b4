// Completes several deletions together, in the only order that leaves no byte in the file: verify the rows; checkpoint
// the WAL; scrub what erasing left in the file; then, in one transaction, scrub the pages that were written meanwhile,
// verify again and complete. Other writes continue until that transaction, and wait for it no longer than for another
// group.
//
// Only pages that were written since the last scrub have to be scrubbed (unscrubbed-pages.ts), or else the whole file.
// Upkeep scrubs most of them before a deletion needs it.

import { setTimeout as sleep } from "node:timers/promises";
import { SerialQueue } from "../../../basics/serial-queue.ts";
import { toCompletion, type Verified, verifyInTurns } from "../../shared/completion.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { Act } from "../../interface/act.ts";
import type { Completion, SealedReceipt } from "../../interface/deletion.ts";
import type { LargePlanner } from "./large-planner.ts";
import { emptyWalPosition } from "../file/wal-pages.ts";
import type { FileTasks } from "../file/file-tasks.ts";
import type { PerformOperation } from "../commit/operation.ts";
import type { UnscrubbedPages } from "./unscrubbed-pages.ts";

/** How many scans run beside the writers before the last one, each over the pages written since. */
const scrubRoundsMax = 5;

/** A WAL of at most this many frames is left to the last scan. */
const framesAtCompletionMax = 4_000;

export interface CompleterParts {
  readonly perform: PerformOperation;
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
  /** Plans related records that arrived meanwhile and are too many for one step. */
  readonly planner: LargePlanner;
  readonly scrubber: Pick<FileTasks, "ask" | "unpin">;
  readonly unscrubbed: UnscrubbedPages;
  readonly descriptor: () => number;
  /** Present only where a store is served. Until `resume`, nobody else checkpoints. */
  readonly checkpoints: { pause(): Promise<void>; resume(): void } | undefined;
  /** Signs the receipts of deletions in their current state as a chain from the head on. */
  readonly seal: (
    ids: readonly string[],
    act: Act,
  ) => Promise<readonly (SealedReceipt | undefined)[]>;
}

interface CompletingClean {
  readonly act: Act;
  /** The receipts, if they are signed already. */
  readonly sealed: readonly (SealedReceipt | undefined)[] | undefined;
}

const attemptsMax = 4;
const pauseMs = 50;

export class DeletionCompleter {
  readonly #parts: CompleterParts;
  readonly #calls = new SerialQueue();
  /** The pseudonyms of deletions that are being completed. They were removed from the tables. */
  readonly #taken = new Map<string, string>();

  constructor(parts: CompleterParts) {
    this.#parts = parts;
  }

  /** In the order of the ids, one call after another. A deletion that is not clean does not delay the others. */
  complete(ids: readonly string[], act: Act): Promise<readonly Completion[]> {
    return this.#calls.run(() => this.#complete(ids, act));
  }

  /** Leaves no byte in the file of rows that were removed otherwise. */
  scrub(act: Act): Promise<unknown> {
    return this.#calls.run(() =>
      this.#whenNobodyReads(() => this.#scrubAndComplete([], { act, sealed: [] })),
    );
  }

  /** Scrubs some of very many pages, beside writers, so that a deletion need not. True if there are still as many. */
  scrubSome(): Promise<boolean> {
    return this.#calls
      .run(() => this.#scrubSome())
      .catch((error: unknown) => {
        // Another process reads. Later is early enough.
        if (error instanceof StoreError && error.isTemporary) return false;
        throw error;
      });
  }

  async #scrubSome(): Promise<boolean> {
    const { perform, scrubber, unscrubbed } = this.#parts;
    if (!unscrubbed.areMany) return false;
    await this.#withFile(async () => {
      await unscrubbed.freeze();
      await scrubber.ask("scrub", unscrubbed.takeSome());
      await unscrubbed.scrubbed(await perform("beginWal"));
    });
    return unscrubbed.areMany;
  }

  async #complete(ids: readonly string[], act: Act): Promise<readonly Completion[]> {
    const outcomes = new Map<string, Completion>();
    try {
      await this.#completeAll(ids, act, outcomes);
    } finally {
      await this.#putBack(outcomes);
    }
    return ids.map((id) => outcomes.get(id) ?? { result: "again" });
  }

  async #completeAll(
    ids: readonly string[],
    act: Act,
    outcomes: Map<string, Completion>,
  ): Promise<void> {
    // The writer verifies, and this thread signs. If one deletion is not clean, the receipts after it are signed again.
    const early = this.#parts.seal(ids, act).catch(() => undefined);
    const clean = await this.#verify(ids, act, outcomes);
    let sealed = clean.length === ids.length ? await early : undefined;
    // A deletion that is not clean at the last pass changes the chain for later receipts, so their deletions are tried
    // again.
    for (let left = clean, tries = 0; left.length > 0 && tries <= clean.length; tries += 1) {
      left = await this.#completeClean(left, { act, sealed, outcomes });
      sealed = undefined;
    }
  }

  async #putBack(outcomes: ReadonlyMap<string, Completion>): Promise<void> {
    const taken = [...this.#taken].filter(([id]) => outcomes.get(id)?.result !== "completed");
    this.#taken.clear();
    if (taken.length > 0) await this.#parts.perform("putBackPseudonyms", taken);
  }

  /** Returns the clean deletions, in order. */
  async #verify(
    ids: readonly string[],
    act: Act,
    outcomes: Map<string, Completion>,
  ): Promise<readonly string[]> {
    const { indexParties } = this.#parts;
    const verify = (some: readonly string[]) => this.#verifySome(some, act);
    const results = await verifyInTurns(ids, { verify, indexParties });
    for (const [index, result] of results.entries()) {
      if (result.result !== "clean") outcomes.set(ids[index] ?? "", toCompletion(result));
    }
    return ids.filter((id) => !outcomes.has(id));
  }

  async #verifySome(ids: readonly string[], act: Act): Promise<ReadonlyMap<string, Verified>> {
    const { perform, planner } = this.#parts;
    const { results: verifications, taken } = await perform("verifyErasures", ids, act);
    for (const [id, pseudonym] of taken) this.#taken.set(id, pseudonym);
    const results = new Map<string, Verified>(verifications);
    for (const [id, verification] of verifications) {
      if (verification.result !== "large") continue;
      const { deletion, record } = verification;
      const waitingFor = "a hold or a retention floor";
      const extended = await planner.extend(deletion, record, act.now);
      results.set(id, extended ? { result: "found" } : { result: "held", waitingFor });
    }
    return results;
  }

  async #completeClean(
    ids: readonly string[],
    { outcomes, ...completing }: CompletingClean & { readonly outcomes: Map<string, Completion> },
  ): Promise<readonly string[]> {
    const results = await this.#whenNobodyReads(() => this.#scrubAndComplete(ids, completing));
    const moved: string[] = [];
    for (const [index, id] of ids.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      if (result.result === "moved") moved.push(id);
      else outcomes.set(id, toCompletion(result));
    }
    return moved;
  }

  async #scrubAndComplete(ids: readonly string[], { act, ...early }: CompletingClean) {
    const { perform, seal, descriptor, unscrubbed } = this.#parts;
    return await this.#withFile(async () => {
      await this.#scrubFile();
      const sealed = early.sealed ?? (await seal(ids, act));
      const completions = ids.map((deletionRequestId, index) => ({
        deletionRequestId,
        sealed: sealed[index],
        pseudonym: this.#taken.get(deletionRequestId),
      }));
      const { results, position } = await perform("completeDeletions", {
        completions,
        act,
        descriptor: descriptor(),
      });
      await unscrubbed.scrubbed(position);
      return results;
    });
  }

  /** Nobody else checkpoints meanwhile. */
  async #withFile<Result>(work: () => Promise<Result>): Promise<Result> {
    const { checkpoints, scrubber, unscrubbed } = this.#parts;
    // This pin must begin before the pin of the checkpointer is released.
    await unscrubbed.pin();
    await checkpoints?.pause();
    try {
      await scrubber.unpin();
      return await work();
    } finally {
      await unscrubbed.release();
      checkpoints?.resume();
    }
  }

  /** Scrubs the free space of the file, except pages that are in the WAL, and leaves only a short WAL. */
  async #scrubFile(): Promise<void> {
    const { perform, scrubber, unscrubbed } = this.#parts;
    for (let round = 0; round < scrubRoundsMax; round += 1) {
      await unscrubbed.freeze();
      await scrubber.ask("scrub", unscrubbed.take());
      const since = await scrubber.ask("readWal", emptyWalPosition);
      if (since !== undefined && since.position.frames <= framesAtCompletionMax) break;
    }
    await perform("pinWal");
    await scrubber.ask("passiveCheckpoint");
  }

  /** Waits between the attempts until short reads have ended. Otherwise the writer would have to wait for them. */
  async #whenNobodyReads<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StoreError && error.isTemporary)) throw error;
        if (attempt === attemptsMax) throw error;
        await sleep(pauseMs);
      }
    }
  }
}
