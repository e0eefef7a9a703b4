// What a serving process does for recipients: it erases the notices that all of them have acknowledged, or that are
// older than NOTICE_DAYS, and has figures of how far recipients have come.

import type { App } from "../../actions/app.ts";
import { dayMs } from "../../basics/duration.ts";
import { PacedRead } from "../../basics/paced-read.ts";
import { secondsSince } from "../../metrics/metrics.ts";
import { valueOf } from "../../settings/config.ts";
import { purgePauseMs, type Round, withPauses } from "../../worker/upkeep.ts";
import type { OpenService, ServiceParts } from "../feature.ts";
import { RecipientLag } from "./recipient-lag.ts";
import { type RecipientFigures, recipientFigures } from "./recipients.ts";
import { noticeDays } from "./rows.ts";
import { recipients } from "./store/part.ts";

export async function open({ app: appOf, config, registry }: ServiceParts): Promise<OpenService> {
  let lag: RecipientLag | undefined;
  const read = new PacedRead(() => recipientFigures(appOf(), (lag = new RecipientLag(lag))));
  let figures: RecipientFigures | undefined;
  registry.onSnapshot(async () => (figures = await read.latest()));
  registry.observe("gauge", {
    sluice_recipients: ["Recipients of changes.", () => figures?.count],
    sluice_recipient_lag_seconds: [
      "How long a recipient has not acknowledged the notice of an erased record, without confidential types.",
      () => figures && secondsSince(figures.waitingSince),
    ],
    sluice_recipient_changes_lag_seconds: [
      "How long a recipient has not acknowledged an event that it takes, without confidential types.",
      () => figures && secondsSince(figures.behindSince),
    ],
  });
  const keptDays = valueOf(config, noticeDays);
  return {
    upkeep: { "erasing notices of erasures failed": noticeRound(keptDays) },
  };
}

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
function noticeRound(keptDays: number): Round {
  let place: string | undefined;
  return withPauses(purgePauseMs, async (app) => {
    place = await purgeNotices(app, keptDays, place);
    return place !== undefined;
  });
}
