// Plans the cascade of one record where nobody waits for the transaction: of any size up to the limit.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { ErasurePlan, NodeKey } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { Statements } from "../statement/statements.ts";
import type { LongHistories } from "../retention/floor-origin.ts";
import { type Obstacle, tooLarge } from "./plan.ts";
import { type PlanBounds, type RecordPlan, planRecords } from "./record-plans.ts";

/** Plans the cascade of any record of the organization, for a deletion that is large, or that is being processed. */
export function* planCascade(
  deletion: Deletion,
  root: NodeKey,
  { now, bounds }: { readonly now: number; readonly bounds: PlanBounds },
): Statements<RecordPlan> {
  const [plan = "large"] = yield* planRecords([{ deletion, root }], { now, bounds });
  return plan;
}

/** The bound of a cascade that is planned where nobody waits for it. */
export const largestCascade: PlanBounds = {
  relationsMax: limits.cascadeRecordsMax,
  bounded: false,
  shortHistories: false,
};

export function* planLargeCascade(
  deletion: Deletion,
  root: NodeKey,
  { now, histories }: { readonly now: number; readonly histories?: LongHistories },
): Statements<ErasurePlan | Obstacle> {
  const bounds = { ...largestCascade, histories };
  const plan = yield* planCascade(deletion, root, { now, bounds });
  return typeof plan === "string" ? tooLarge : plan;
}
