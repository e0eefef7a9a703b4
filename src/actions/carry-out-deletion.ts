// Carries out one deletion that is due: claim, erase in bounded steps, look again, complete. Every step is durable
// before the next, so that a crash at any point resumes where it was. Never gives a deletion up.

import type { Deletion } from "../domain/deletion.ts";
import { limits } from "../domain/limits.ts";
import type { App } from "./app.ts";
import { catchUpLedger, noteCompleting } from "./keep-ledger.ts";

export type CarriedOut =
  | { readonly result: "nothing due" }
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "postponed"; readonly deletion: Deletion; readonly cause: unknown };

/** `claimant` names this process; `stopping` ends the work between two steps. */
export async function carryOutDeletion(
  app: App,
  { claimant, stopping }: { claimant: string; stopping: AbortSignal },
): Promise<CarriedOut> {
  const now = app.now();
  const leaseUntil = now + limits.deletionLeaseMs;
  const deletion = await app.store.claimDeletion({ now, leaseUntil, claimant });
  if (deletion === undefined) return { result: "nothing due" };
  try {
    const completed = await eraseAndComplete(app, deletion, stopping);
    // It is completed whatever becomes of this note; upkeep makes it good.
    await catchUpLedger(app).catch(() => undefined);
    return { result: "completed", deletion: completed };
  } catch (cause) {
    await app.store.postponeDeletion(
      deletion.deletionRequestId,
      stopping.aborted ? "the service stopped" : describeCause(cause),
      app.now() + (stopping.aborted ? 0 : backOffMs(deletion.attempts)),
    );
    return { result: "postponed", deletion, cause };
  }
}

async function eraseAndComplete(
  app: App,
  deletion: Deletion,
  stopping: AbortSignal,
): Promise<Deletion> {
  const { deletionRequestId } = deletion;
  let looks = 0;
  for (;;) {
    stopping.throwIfAborted();
    const act = { actor: "worker", now: app.now() };
    const step = await app.store.eraseStep(deletionRequestId, limits.erasureStepRecordsMax, act);
    if (!step.done) continue;
    if (looks === 0) await noteCompleting(app, deletion);
    const completed = await app.store.completeDeletion(deletionRequestId, act);
    if (completed !== undefined) return completed;
    looks += 1;
    if (looks === limits.verificationsMax) throw new Error(foundAgain);
  }
}

const foundAgain =
  `The verification has looked ${limits.verificationsMax} times and found something left each time; it goes on, but ` +
  "somebody may be writing to what is being erased behind the back of the service.";

/** Doubles from one second up to limits.deletionBackOffMsMax. */
function backOffMs(attempts: number): number {
  return Math.min(1_000 * 2 ** Math.min(attempts, 20), limits.deletionBackOffMsMax);
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
