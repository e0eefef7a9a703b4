// The parts of a service that runs, and what the handlers of HTTP receive of them.

import type { Observer, OpenService, ServiceParts } from "../feature/feature.ts";
import type { BulkClient } from "../http/bulk/bulk-client.ts";
import { makeMainLists } from "../http/bulk/main-lists.ts";
import type { SharedBounds } from "../http/connection/shared-bounds.ts";
import type { HttpContext } from "../http/http-context.ts";
import type { Load } from "../http/load/load.ts";
import { makeFailureLog } from "../http/rate-limit/failure-log.ts";
import { makeRateGate } from "../http/rate-limit/rate-limit.ts";
import type { ObserveRequest } from "../http/reply/reply.ts";
import type { ConsoleParts } from "./open-console.ts";
import type { Loop } from "../worker/loop.ts";
import { type ClockState, type TrustedClock, watchClock } from "../actions/upkeep/clock.ts";
import type { AwaitStore } from "./await-store.ts";
import { features } from "../feature/features.ts";
import { sluice } from "../basics/program-name.ts";

interface Stage {
  readonly draining: AbortController;
  closing: boolean;
}

export interface Parts extends ConsoleParts {
  readonly sharedBounds: SharedBounds;
  readonly load: Load;
  readonly stage: Stage;
  readonly monotonic: () => number;
  readonly awaitStore: AwaitStore;
  readonly observer: Observer | undefined;
}

interface EntryPoints {
  readonly worker: Loop;
  readonly bulk: BulkClient;
}

export function makeHttpContext(
  { app, config, log, metrics, sharedBounds, load, stage, observer }: Parts,
  { worker, bulk }: EntryPoints,
): HttpContext {
  const observe: ObserveRequest = (operation, status, seconds) =>
    metrics.requests.with(operation, status).observe(seconds);
  return {
    app,
    log,
    sharedBounds,
    rates: makeRateGate(config.rateLimitPerSecond, app.now),
    failures: makeFailureLog(log, app.now, (where) => {
      metrics.failedAuthentications.with(where).add();
    }),
    bulk: observer?.bulk(bulk) ?? bulk,
    lists: makeMainLists(app.store, () => bulk.prepare()),
    load: observer === undefined ? load : { ...load, bodies: observer.bodies(load.bodies) },
    observe,
    traceRequest: observer?.request,
    onRecordsWritten: (resourceType, count) => metrics.records.with(resourceType).add(count),
    onRateLimited: (policy) => metrics.rateLimited.with(policy).add(),
    onRightRefused: (where) => metrics.rightsRefused.with(where).add(),
    onDeletionRequested: () => worker.wake(),
    draining: stage.draining.signal,
    closing: () => stage.closing,
  };
}

// The clock of a process that serves: reports when it is no longer trusted, and when it is again.

type ClockParts = Pick<Parts, "app" | "log" | "metrics" | "monotonic">;

export function openClock(parts: ClockParts): TrustedClock {
  parts.metrics.clockTrusted.set(1);
  const { app, monotonic } = parts;
  return watchClock(app, { monotonic, onChange: (state) => report(parts, state) });
}

function report({ log, metrics }: ClockParts, { isTrusted, now, lastKnown }: ClockState): void {
  metrics.clockTrusted.set(isTrusted ? 1 : 0);
  const times = { clock: timeOf(now), last_known: timeOf(lastKnown) };
  if (isTrusted) log.info(times, "the clock is trusted again; deletions and retention continue");
  else {
    log.error(
      times,
      "the clock has jumped, or nothing ran for long: deletions and the ends of retention and of holds are paused; compare " +
        `the clock with another one, and run: ${sluice} clock confirm`,
    );
  }
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

interface Options extends Omit<ServiceParts, "replaced"> {
  /** Services that a test has opened, by the name of the feature. */
  readonly replaced?: Readonly<Record<string, unknown>>;
}

/** Each is closed with `opened`. */
export async function openServices(
  { replaced = {}, ...parts }: Options,
  opened: AsyncDisposableStack,
): Promise<readonly OpenService[]> {
  const services: OpenService[] = [];
  for (const { name, service } of features) {
    const part = await service?.();
    const open = await part?.open({ ...parts, replaced: replaced[name] });
    if (open === undefined) continue;
    services.push(open);
    opened.defer(async () => open.close?.());
  }
  return services;
}
