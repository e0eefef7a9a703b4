// What happens to a deletion of which a verification pass finds something: it is erased again. Other records that name
// what is deleted may arrive faster than they can be erased; so after many passes writes of the organization are
// paused, and after more the deletion is postponed.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Completion } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";

/** After as many passes that found something, writes of the organization are paused, so that nothing more arrives. */
const verificationsBesideWrites = 20;
/** How many verification passes may find something before an attempt ends and the reason is reported to operators. */
const verificationsMax = 40;
/** For how long writes are paused at most. */
const writesPauseMs = 5_000;

/** A deletion that is being processed. */
export interface Verifying {
  readonly deletion: Deletion;
  isErased: boolean;
  verifications: number;
}

/** Why the deletion has to be postponed; undefined if it takes its next step. */
export function failureOf(one: Verifying, outcome: Completion): unknown {
  if (outcome.result === "failed") return outcome.cause;
  if (outcome.result !== "again") return undefined;
  one.isErased = false;
  if (outcome.isPart === true) return undefined;
  one.verifications += 1;
  return one.verifications === verificationsMax ? new Error(foundAgain) : undefined;
}

const foundAgain =
  `${verificationsMax} verification passes have each found something that is left. They continue, but another program may be ` +
  "writing to the tables of the service.";

/** `isLeft`: whether it is still processed. */
export async function pauseWrites(
  app: App,
  { deletion, verifications }: Verifying,
  { isLeft }: { readonly isLeft: boolean },
): Promise<void> {
  if (verifications < verificationsBesideWrites) return;
  if (isLeft && verifications > verificationsBesideWrites) return;
  const until = isLeft ? app.now() + writesPauseMs : 0;
  await app.store.pauseWrites(deletion.organizationId, until);
}
