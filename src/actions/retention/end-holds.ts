// Ends the legal holds whose last date has passed, and lists those that end soon. Nothing is erased here: deletions
// that waited for a hold are evaluated again.

import { dayMs } from "../../basics/duration.ts";
import type { Hold } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import { dateOf, hasEnded, lastSoonDate } from "../../domain/retention/hold-end.ts";
import type { App } from "../app.ts";
import { viewerOf } from "../operator/viewer.ts";

const endedAtOnce = 100;

interface EndedHolds {
  readonly ended: number;
  readonly more: boolean;
}

/** Ends a bounded number of holds. The audit trail and the ledger record them as releases with the reason `ended`. */
export async function endHolds({ store, now }: Pick<App, "store" | "now">): Promise<EndedHolds> {
  const yesterday = dateOf(now() - dayMs);
  const holds = await store.holds.listEnding(yesterday, endedAtOnce);
  const act = { actor: "retention", now: now() };
  const released = await Promise.all(
    holds.map(({ holdId }) => store.holds.release(holdId, act, "ended")),
  );
  const ended = released.filter((hold) => hold !== undefined).length;
  return { ended, more: holds.length === endedAtOnce };
}

/** In the order of their ends, without holds on confidential records, which logs must not disclose. */
export async function listEndingSoon(app: App): Promise<readonly Hold[]> {
  const soon = lastSoonDate(app.now());
  const holds = await app.store.holds.listEnding(soon, limits.holdsListedAtOnce);
  const ending = holds.filter((hold) => !hasEnded(hold, app.now()));
  return ending.length === 0 ? [] : ending.filter(await viewerOf(app).public().knowledge());
}
