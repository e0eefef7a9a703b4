// Plans large cascades beside the writer: the file thread collects what a cascade takes in, from a read transaction of its own,
// and the writer writes the plan down in steps, between which it serves others.
//
// state       what happens                                            then
// removing    what an earlier attempt wrote of the plan is removed    collecting
// collecting  the file thread follows the relations                   adding; in the way, if it finds a hold or no end
// adding      one part of the plan after another is written           begun; lost; in the way, if a hold has been placed
// begun       the deletion is `processing`
// lost        it was cancelled: what was written is removed
// in the way  it is `pending` and says why; what was written is removed

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Claim } from "../../store.ts";
import type { PerformOperation } from "../commit/operation.ts";
import { isObstacle } from "./cascade.ts";
import type { PlanCollector } from "../file/file-tasks.ts";
import type { PlanStep } from "./large-plan.ts";
import { planTargetsAtOnceMax } from "./large-plan.ts";

export interface LargePlannerParts {
  readonly perform: PerformOperation;
  readonly collector: PlanCollector;
}

export class LargePlanner {
  readonly #parts: LargePlannerParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: LargePlannerParts) {
    this.#parts = parts;
  }

  /** Of a deletion that a claim found to be large. Undefined if it was not begun. One is planned at a time. */
  begin(deletion: Deletion, claim: Claim): Promise<Deletion | undefined> {
    return this.#oneAtATime(() => this.#begin(deletion, claim));
  }

  /** Adds the cascade of this record to the plan of a deletion that is `processing`. False if something was in the way. */
  extend(deletionRequestId: string, record: RecordKey, now: number): Promise<boolean> {
    return this.#oneAtATime(async () => {
      const { perform, collector } = this.#parts;
      const renewed = leaseFrom(now);
      const collected = await collector.collectPlan(record);
      if (!isObstacle(collected)) return this.#addParts(deletionRequestId, renewed);
      await perform("postponePlan", { deletionRequestId, claim: renewed(), obstacle: collected });
      return false;
    });
  }

  async #begin(deletion: Deletion, { now, claimant }: Claim): Promise<Deletion | undefined> {
    const { perform, collector } = this.#parts;
    const { deletionRequestId } = deletion;
    const renewed = leaseFrom(now, claimant);
    await this.#removePlan(deletionRequestId);
    const counts = await collector.collectPlan(deletion);
    if (isObstacle(counts)) {
      await perform("postponePlan", { deletionRequestId, claim: renewed(), obstacle: counts });
      return undefined;
    }
    const begun = (await this.#addParts(deletionRequestId, renewed))
      ? await perform("beginPlanned", {
          deletionRequestId,
          claim: { ...renewed(), claimant },
          counts,
        })
      : undefined;
    if (begun === undefined) await this.#removePlan(deletionRequestId);
    return begun;
  }

  async #addParts(deletionRequestId: string, renewed: () => PlanStep["claim"]): Promise<boolean> {
    const { perform, collector } = this.#parts;
    for (;;) {
      const targets = await collector.nextPlanPart(planTargetsAtOnceMax);
      if (targets.length === 0) return true;
      const added = await perform("addToPlan", { deletionRequestId, claim: renewed(), targets });
      if (added !== "added") return false;
    }
  }

  async #removePlan(deletionRequestId: string): Promise<void> {
    let removed: number;
    do {
      removed = await this.#parts.perform("removePlan", { deletionRequestId });
    } while (removed > 0);
  }

  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** What each step renews the lease with, by the time that has gone by since `now`. */
function leaseFrom(now: number, claimant?: string): () => PlanStep["claim"] {
  const startedAt = performance.now();
  return () => {
    const later = now + Math.round(performance.now() - startedAt);
    return { now: later, leaseUntil: later + limits.deletionLeaseMs, claimant };
  };
}
