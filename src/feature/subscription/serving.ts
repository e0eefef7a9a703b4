// What a serving process does for subscriptions: it sends webhooks, and has figures of them and of recipients.

import { RecipientLag } from "../recipient/recipient-lag.ts";
import { type RecipientFigures, recipientFigures } from "../recipient/recipients.ts";
import { countEndpoints, type EndpointCounts } from "../webhook/endpoints.ts";
import type { App } from "../../actions/app.ts";
import { PacedRead } from "../../basics/paced-read.ts";
import { secondsSince } from "../../metrics/metrics.ts";
import { makePost, makeResolver } from "../webhook/post.ts";
import { startSender } from "../webhook/sender.ts";
import { valueOf } from "../../settings/config.ts";
import { noticeRound } from "../recipient/purge-notices.ts";
import { subscriptionSettings } from "./settings.ts";
import { allowedAddresses } from "../webhook/allowed-address.ts";
import type { OpenService, ServiceParts } from "../feature.ts";

export async function open(parts: ServiceParts): Promise<OpenService | undefined> {
  const { config, log, registry } = parts;
  const attempts = registry.counters({
    name: "sluice_webhook_attempts_total",
    help: "Attempts of this process to deliver a webhook, by result.",
    labels: ["result"],
  });
  registerEndpoints(parts);
  registerRecipients(parts);
  const keptDays = valueOf(config, subscriptionSettings.noticeDays);
  const sends = valueOf(config, subscriptionSettings.webhooks);
  const start = (app: App) =>
    startSender(app, {
      post: makePost({ allowed: allowedAddresses(app), resolve: makeResolver() }),
      log,
      onAttempt: ({ kind }) => attempts.with(kind).add(),
    });
  return {
    upkeep: { "erasing notices of erasures failed": noticeRound(keptDays) },
    ...(sends && { start }),
  };
}

function registerEndpoints({ registry, app }: ServiceParts): void {
  const read = new PacedRead(() => countEndpoints(app()));
  let byState: EndpointCounts | undefined;
  registry.onSnapshot(async () => (byState = await read.latest()));
  registry.observe("gauge", {
    sluice_webhook_endpoints: ["Endpoints of webhooks by state.", () => byState, "state"],
  });
}

function registerRecipients({ registry, app }: ServiceParts): void {
  let lag: RecipientLag | undefined;
  const read = new PacedRead(() => recipientFigures(app(), (lag = new RecipientLag(lag))));
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
}
