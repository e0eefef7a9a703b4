// Plans large cascades beside the writer: the file thread collects the plan in a separate read transaction, and the
// writer stores it in steps, between which it serves others.
//
// state       what happens                                              next
// marked      no other claim finds it                                   removing
// removing    the part of a plan from an earlier attempt is removed     collecting
// collecting  the file thread follows the relations                     adding; blocked: a hold, a floor, too large
// adding      the plan is written part by part                          begun; lost; blocked by what changed meanwhile
// behind      the index of parties advances                             adding
// begun       the deletion is `processing`
// lost        it was cancelled: the part that was written is removed
// blocked     it is `pending` and states why; the part that was written is removed
// failed      the caller postpones it; the part that was written is removed

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import type { Claim } from "../../interface/deletion.ts";
import { SerialQueue } from "../../../basics/serial-queue.ts";
import { limits } from "../../../domain/limits.ts";
import type { KeyInOrganization, RecordKey } from "../../../domain/record/record-write.ts";
import type { PerformOperation } from "../commit/operation.ts";
import type { FileTasks } from "../file/file-tasks.ts";
import { planTargetsAtOnceMax } from "./large-plan.ts";

export interface LargePlannerParts {
  readonly perform: PerformOperation;
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
  readonly collector: Pick<FileTasks, "ask">;
}

export class LargePlanner {
  readonly #parts: LargePlannerParts;
  /** The file thread has one plan at a time. */
  readonly #calls = new SerialQueue();

  constructor(parts: LargePlannerParts) {
    this.#parts = parts;
  }

  /** Plans a deletion that a claim found to be large. Undefined if it was not begun. */
  begin(deletion: Deletion, claim: Claim): Promise<Deletion | undefined> {
    return this.#calls.run(async () => {
      const { deletionRequestId } = deletion;
      if (!(await this.#parts.perform("markPlanning", deletionRequestId, claim))) return undefined;
      await this.#removePlan(deletion);
      let begun: Deletion | undefined;
      try {
        return (begun = await this.#plan(deletion, deletion, claim));
      } finally {
        if (begun === undefined) await this.#removePlan(deletion);
      }
    });
  }

  /** Adds the cascade of this record to the plan of a deletion that is `processing`. False if there was an obstacle. */
  async extend(deletion: Deletion, record: RecordKey, now: number): Promise<boolean> {
    const claim = { now, claimant: undefined };
    const extended = await this.#calls.run(() => this.#plan(deletion, record, claim));
    return extended !== undefined;
  }

  /** The deletion with its complete plan, unless it was lost or blocked. */
  async #plan(
    deletion: Deletion,
    record: KeyInOrganization,
    { now, claimant }: Pick<Claim, "now"> & { readonly claimant: string | undefined },
  ): Promise<Deletion | undefined> {
    const { perform, collector } = this.#parts;
    const { deletionRequestId } = deletion;
    const startedAt = performance.now();
    const root = nodeKeyOf(record);
    await collector.ask("collectPlan", root, deletion, now);
    for (;;) {
      const part = await collector.ask("nextPlanPart", planTargetsAtOnceMax);
      // Each step renews the lease.
      const later = now + Math.round(performance.now() - startedAt);
      const claim = { now: later, leaseUntil: later + limits.deletionLeaseMs, claimant };
      const result = await perform("addToPlan", { deletionRequestId, claim, part });
      if (typeof result === "object") return result;
      if (result === "behind") await this.#parts.indexParties();
      else if (result !== "added") return undefined;
    }
  }

  async #removePlan({ deletionRequestId }: Deletion): Promise<void> {
    let removed: number;
    do {
      removed = await this.#parts.perform("removePlan", deletionRequestId);
    } while (removed > 0);
  }
}
