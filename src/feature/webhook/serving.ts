// What a serving process does for webhooks: it sends them, and has figures of the endpoints.

import type { App } from "../../actions/app.ts";
import { PacedRead } from "../../basics/paced-read.ts";
import { valueOf } from "../../settings/config.ts";
import type { OpenService, ServiceParts } from "../feature.ts";
import { allowedAddresses } from "./allowed-address.ts";
import { countEndpoints, type EndpointCounts } from "./endpoints.ts";
import { makePost, makeResolver } from "./post.ts";
import { webhookSettings } from "./rows.ts";
import { startSender } from "./sender.ts";

export async function open(parts: ServiceParts): Promise<OpenService | undefined> {
  const { app: appOf, config, log, registry } = parts;
  const attempts = registry.counters({
    name: "sluice_webhook_attempts_total",
    help: "Attempts of this process to deliver a webhook, by result.",
    labels: ["result"],
  });
  const read = new PacedRead(() => countEndpoints(appOf()));
  let byState: EndpointCounts | undefined;
  registry.onSnapshot(async () => (byState = await read.latest()));
  registry.observe("gauge", {
    sluice_webhook_endpoints: ["Endpoints of webhooks by state.", () => byState, "state"],
  });
  if (!valueOf(config, webhookSettings.webhooks)) return undefined;
  const start = (app: App) =>
    startSender(app, {
      post: makePost({ allowed: allowedAddresses(app), resolve: makeResolver() }),
      log,
      onAttempt: ({ kind }) => attempts.with(kind).add(),
    });
  return { start };
}
