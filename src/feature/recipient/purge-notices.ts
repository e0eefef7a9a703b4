// Erases the notices of erasures that their recipients have acknowledged, or that are older than NOTICE_DAYS.

import type { App } from "../../actions/app.ts";
import { dayMs } from "../../basics/duration.ts";
import { purgePauseMs, type Round, withPauses } from "../../worker/upkeep.ts";
import { recipients } from "./store/part.ts";

/** Erases a bounded part of them. Returns where the next part begins; undefined after the last. */
export async function purgeNotices(
  { store, now }: App,
  keptDays: number,
  after = "",
): Promise<string | undefined> {
  const act = { actor: "worker", now: now() };
  const range = { before: act.now - keptDays * dayMs, after };
  return (await store.of(recipients).purgeNotices(range, act)).next;
}

/** Goes through all organizations that have notices part by part, and then waits. */
export function noticeRound(keptDays: number): Round {
  let place: string | undefined;
  return withPauses(purgePauseMs, async (app) => {
    place = await purgeNotices(app, keptDays, place);
    return place !== undefined;
  });
}
