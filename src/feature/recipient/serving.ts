// What a serving process does for recipients: it erases notices, and has figures of how far recipients have come.

import { PacedRead } from "../../basics/paced-read.ts";
import { secondsSince } from "../../metrics/metrics.ts";
import { valueOf } from "../../settings/config.ts";
import type { OpenService, ServiceParts } from "../feature.ts";
import { noticeRound } from "./purge-notices.ts";
import { RecipientLag } from "./recipient-lag.ts";
import { type RecipientFigures, recipientFigures } from "./recipients.ts";
import { noticeDays } from "./rows.ts";

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
