// Group commit: everything that is asked for while the writer has enough to do waits, and goes into the next group
// together. What is asked for while it has not goes at the end of the same turn of the event loop.

import { setImmediate as endOfTurn } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { isOperation, type Job, type Result } from "./job.ts";
import type { Runner } from "./runner.ts";
import { standsAlone } from "./writer.ts";

interface Waiting extends Settler {
  readonly job: Job;
}

/** What is left of a job that was handed over: its drafts would only be in the way of collecting garbage. */
interface Settler {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class WriteQueue {
  readonly #runner: Runner;
  readonly #onAnswer: () => void;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  /** In the order in which they were handed over, which is that in which they end. */
  readonly #underWay: Promise<void>[] = [];
  #closing = false;

  /** `onAnswer` is called before the jobs of a group are answered. */
  constructor(runner: Runner, onAnswer: () => void = () => undefined) {
    this.#runner = runner;
    this.#onAnswer = onAnswer;
  }

  /** Rejects with AppError unavailable when too much is waiting, or when the queue is closing. */
  submit(job: Job): Promise<unknown> {
    if (this.#closing) return Promise.reject(new AppError("unavailable"));
    if (this.#waiting.length >= limits.queuedWritesMax) {
      return Promise.reject(new AppError("unavailable", { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Takes nothing more, finishes what waits, then closes the runner. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#draining;
    await Promise.all(this.#underWay);
    await this.#runner.close();
  }

  /** Hands groups over until nothing waits. Never rejects. */
  async #drain(): Promise<void> {
    do {
      if (this.#underWay.length >= this.#runner.groupsAtOnce) await this.#underWay[0];
      // Whoever was answered by the last group, and whatever else arrived in this turn, may join the next one.
      await endOfTurn();
      const ended = this.#runGroup(this.#takeGroup()).then(() => void this.#underWay.shift());
      this.#underWay.push(ended);
    } while (this.#waiting.length > 0);
    this.#draining = undefined;
  }

  #runGroup(group: readonly Waiting[]): Promise<void> {
    const results = this.#runner.run(group.map(({ job }) => job));
    return settleWhenRun(
      group.map(({ resolve, reject }) => ({ resolve, reject })),
      results.finally(this.#onAnswer),
    );
  }

  #takeGroup(): readonly Waiting[] {
    let count = 0;
    let items = 0;
    for (const { job } of this.#waiting) {
      items += isOperation(job) ? 1 : job.drafts.length;
      if (count > 0 && (standsAlone(job) || items > limits.groupItemsMax)) break;
      count += 1;
      if (standsAlone(job) || count >= limits.groupWritesMax) break;
    }
    return this.#waiting.splice(0, count);
  }
}

async function settleWhenRun(
  group: readonly Settler[],
  running: Promise<readonly Result[]>,
): Promise<void> {
  try {
    settle(group, await running);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

function settle(group: readonly Settler[], results: readonly Result[]): void {
  group.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result?.ok === true) resolve(result.value);
    else reject(result?.error ?? new TypeError("the writer gave no result"));
  });
}
