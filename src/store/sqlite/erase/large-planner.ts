// Plans large cascades beside the writer: the file thread collects the plan in a separate read transaction, and the
// writer stores it in steps, between which it serves others.
//
// state       what happens                                              next
// removing    the part of a plan from an earlier attempt is removed     collecting
// collecting  the file thread follows the relations                     adding; blocked: a hold, a floor, too large
// adding      the plan is written part by part                          begun; lost; blocked by what changed meanwhile
// begun       the deletion is `processing`
// lost        it was cancelled: the part that was written is removed
// blocked     it is `pending` and states why; the part that was written is removed

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Claim } from "../../interface/store.ts";
import type { PerformOperation } from "../commit/operation.ts";
import { isObstacle } from "../../sql/erase/plan.ts";
import type { FileTasks } from "../file/file-tasks.ts";
import type { CollectedPlan } from "../file/file-thread.ts";
import type { PlanStep } from "./large-plan.ts";
import { planTargetsAtOnceMax } from "./large-plan.ts";

export interface LargePlannerParts {
  readonly perform: PerformOperation;
  readonly collector: Pick<FileTasks, "collectPlan" | "nextPlanPart">;
}

export class LargePlanner {
  readonly #parts: LargePlannerParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: LargePlannerParts) {
    this.#parts = parts;
  }

  /** Plans a deletion that a claim found to be large. Undefined if it was not begun. Plans one deletion at a time. */
  begin(deletion: Deletion, claim: Claim): Promise<Deletion | undefined> {
    return this.#oneAtATime(() => this.#begin(deletion, claim));
  }

  /** Adds the cascade of this record to the plan of a deletion that is `processing`. False if there was an obstacle. */
  extend(deletion: Deletion, record: RecordKey, now: number): Promise<boolean> {
    return this.#oneAtATime(async () => {
      const { perform, collector } = this.#parts;
      const { deletionRequestId } = deletion;
      const renewed = leaseFrom(now);
      const collected = await collector.collectPlan(record, deletion, now);
      if (!isObstacle(collected)) return this.#addParts(deletionRequestId, collected, renewed);
      await perform("postponePlan", { deletionRequestId, claim: renewed(), obstacle: collected });
      return false;
    });
  }

  async #begin(deletion: Deletion, claim: Claim): Promise<Deletion | undefined> {
    const { now, claimant } = claim;
    const { perform, collector } = this.#parts;
    const { deletionRequestId } = deletion;
    const renewed = leaseFrom(now, claimant);
    await this.#removePlan(deletionRequestId);
    const collected = await collector.collectPlan(deletion, deletion, now);
    if (isObstacle(collected)) {
      await perform("postponePlan", { deletionRequestId, claim: renewed(), obstacle: collected });
      return undefined;
    }
    const begun = (await this.#addParts(deletionRequestId, collected, renewed))
      ? await perform("beginPlanned", {
          deletionRequestId,
          claim: { ...renewed(), claimant },
          ...collected,
        })
      : undefined;
    if (begun === undefined) await this.#removePlan(deletionRequestId);
    return begun;
  }

  async #addParts(
    deletionRequestId: string,
    { floors }: CollectedPlan,
    renewed: () => PlanStep["claim"],
  ): Promise<boolean> {
    const { perform, collector } = this.#parts;
    for (;;) {
      const targets = await collector.nextPlanPart(planTargetsAtOnceMax);
      if (targets.length === 0) return true;
      const step = { deletionRequestId, claim: renewed(), floors, targets };
      const added = await perform("addToPlan", step);
      if (added !== "added") return false;
    }
  }

  async #removePlan(deletionRequestId: string): Promise<void> {
    let removed: number;
    do {
      removed = await this.#parts.perform("removePlan", deletionRequestId);
    } while (removed > 0);
  }

  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Renews the lease for each step, by the time that has passed since `now`. */
function leaseFrom(now: number, claimant?: string): () => PlanStep["claim"] {
  const startedAt = performance.now();
  return () => {
    const later = now + Math.round(performance.now() - startedAt);
    return { now: later, leaseUntil: later + limits.deletionLeaseMs, claimant };
  };
}
