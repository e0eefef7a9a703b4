// The steps of a single deletion, as tests take them that look between two steps.

import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Store } from "../../src/store/interface/store.ts";
import type { Act } from "../../src/store/interface/act.ts";
import type { Claim } from "../../src/store/interface/deletion.ts";

type Steps = Pick<Store, "claimDeletions" | "eraseStep" | "completeDeletions">;

export async function claimOne(store: Steps, claim: Claim): Promise<Deletion | undefined> {
  return (await store.claimDeletions(claim, 1))[0];
}

/** True when nothing is left of its plan. */
export async function eraseOne(
  store: Steps,
  deletionRequestId: string,
  recordsMax: number,
  act: Act,
): Promise<boolean> {
  const { done } = await store.eraseStep([deletionRequestId], recordsMax, act);
  return done.includes(deletionRequestId);
}

/** Undefined if it must be tried again. Throws the cause of a failure. */
export async function completeOne(
  store: Steps,
  deletionRequestId: string,
  act: Act,
): Promise<Deletion | undefined> {
  const [outcome] = await store.completeDeletions([deletionRequestId], act);
  if (outcome?.result === "failed") throw outcome.cause;
  return outcome?.result === "completed" ? outcome.deletion : undefined;
}
