// Starts sending events to the receivers that the settings name, if any.

import { readFileSync } from "node:fs";
import type { App } from "../actions/app.ts";
import { type EventDestination, eventDestinations, type SecurityEvent } from "../domain/event.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Family, Scalar } from "../metrics/registry.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { makeOtlpReceiver } from "../worker/event/otlp.ts";
import { type EventReceiver, SendFailure } from "../worker/event/receiver.ts";
import { type RefusalTotals, startEventSender } from "../worker/event/sender.ts";
import { makeSyslogReceiver } from "../worker/event/syslog.ts";
import type { Loop } from "../worker/loop.ts";
import { version } from "./version.ts";

export interface EventParts {
  readonly app: App;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Throws ConfigError if the certificates can't be read. */
export async function startEvents({
  app,
  config,
  log,
  metrics,
}: EventParts): Promise<Pick<Loop, "stop">> {
  const receivers = receiversOf(config);
  const { storeId } = await app.store.receiptHead();
  const loops = receivers.map((receiver) => {
    const { destination } = receiver;
    return startEventSender(app, {
      receiver,
      storeId,
      totals: () => totalsOf(metrics),
      onSent: (result) => {
        metrics.eventBatches.with(destination, result).add();
        if (result === "refused") log.warn({ destination }, "a receiver refused some events");
      },
      onFailure: (error) => {
        metrics.eventBatches.with(destination, "failed").add();
        if (error instanceof SendFailure) {
          log.warn({ destination, reason: error.message }, "events were not sent");
        } else log.error({ err: error, destination }, "sending events failed");
      },
    });
  });
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** The receivers that the settings name. */
export function destinationsOf(config: Config): readonly EventDestination[] {
  const { eventsOtlpEndpoint, eventsSyslogUrl } = config;
  const isSet = { otlp: eventsOtlpEndpoint !== undefined, syslog: eventsSyslogUrl !== undefined };
  return eventDestinations.filter((destination) => isSet[destination]);
}

function receiversOf(config: Config): readonly EventReceiver[] {
  const { eventsOtlpEndpoint, eventsOtlpHeaders: headers, eventsSyslogUrl } = config;
  const ca = readCertificates(config);
  return [
    ...(eventsOtlpEndpoint === undefined
      ? []
      : [makeOtlpReceiver({ endpoint: eventsOtlpEndpoint, headers, version, ca })]),
    ...(eventsSyslogUrl === undefined ? [] : [makeSyslogReceiver({ url: eventsSyslogUrl, ca })]),
  ];
}

function readCertificates({ eventsCaFile }: Config): string | undefined {
  if (eventsCaFile === undefined) return undefined;
  try {
    return readFileSync(eventsCaFile, "utf8");
  } catch (cause) {
    throw new ConfigError(`EVENTS_CA_FILE must be a file that can be read: ${eventsCaFile}.`, {
      cause,
    });
  }
}

/** Every label is a name from the code, so their number is bounded. */
function totalsOf(metrics: Metrics): RefusalTotals {
  const counters: readonly (readonly [SecurityEvent, Family<Scalar>])[] = [
    ["authentication.failed", metrics.failedAuthentications],
    ["limit.exceeded", metrics.rateLimited],
    ["right.refused", metrics.rightsRefused],
  ];
  return new Map(
    counters.map(([name, family]) => {
      const { series } = family.snapshot();
      return [
        name,
        new Map(series.map(({ labels, value }) => [Object.values(labels)[0] ?? "", value])),
      ];
    }),
  );
}
