// Connects the doors: opens the store, starts the HTTP server and the worker, and stops them in the right order.

import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { openApp } from "./app.ts";
import type { Config } from "./config.ts";
import { limits } from "./domain/limits.ts";
import type { Door } from "./http/door.ts";
import { RateLimits } from "./http/rate-limit.ts";
import { makeReplies } from "./http/reply.ts";
import { operations } from "./http/routes.ts";
import { makeServer } from "./http/server.ts";
import { makeLog } from "./log.ts";
import { makeMetrics, type Metrics } from "./metrics.ts";
import type { GroupFigures } from "./store/store.ts";
import { deletionRound } from "./worker/deletion.ts";
import { startLoop } from "./worker/loop.ts";
import { startUpkeep } from "./worker/upkeep.ts";

export interface Serving {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Stops accepting, finishes what is in flight, closes the store. */
  stop(): Promise<void>;
}

/** Throws StoreError or the system's error when it can't start; nothing is left open then. */
export async function serve(config: Config): Promise<Serving> {
  const log = makeLog(config.logLevel);
  let onGroup: (figures: GroupFigures) => void = () => undefined;
  const app = await openApp(config, { role: "serve", onGroup: (figures) => onGroup(figures) });
  try {
    const metrics = makeMetrics(() => app.store.deletionFigures(app.now()));
    onGroup = (figures) => metrics.observeGroup(figures);
    let closing = false;
    const upkeep = await startUpkeep(app, log);
    const worker = startLoop(
      deletionRound(app, {
        claimant: `${process.pid}-${randomBytes(6).toString("hex")}`,
        log,
        onCompleted: ({ erased }) => metrics.countDeletionCompleted(sum(Object.values(erased))),
        onPostponed: () => metrics.countDeletionPostponed(),
      }),
      {
        intervalMs: config.deletionPollMs,
        backOffMsMax: limits.deletionBackOffMsMax,
        onError: (error) => log.error({ err: error }, "the deletion worker failed; it tries again"),
      },
    );
    const observe: Metrics["observeRequest"] = (...figures) => metrics.observeRequest(...figures);
    const door: Door = {
      app,
      log,
      rates: new RateLimits(config.rateLimitPerSecond, app.now),
      replies: makeReplies(observe),
      observe,
      onRecordsWritten: (resourceType, count) => metrics.countRecords(resourceType, count),
      onRateLimited: (policy) => metrics.countRateLimited(policy),
      onDeletionRequested: () => worker.wake(),
      operations,
      closing: () => closing,
    };
    const server = await makeServer(door, {
      trustProxy: config.trustProxy,
      renderMetrics: () => metrics.render(),
    });
    await server.listen({ host: config.host, port: config.port });
    const address = describeAddress(server.server.address());
    log.info({ address, engine: app.store.engine }, "serving");
    return {
      address,
      stop: async () => {
        closing = true;
        log.info("stopping");
        await closeWithin(() => server.close(), {
          graceMs: config.shutdownGraceMs,
          force: () => server.server.closeAllConnections(),
        });
        await worker.stop();
        await upkeep.stop();
        await app.close();
        log.info("stopped");
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Waits for `close`; when the grace period is over, `force` ends what is still open, and it waits again. */
async function closeWithin(
  close: () => Promise<unknown>,
  { graceMs, force }: { graceMs: number; force: () => void },
): Promise<void> {
  const timer = setTimeout(force, graceMs);
  try {
    await close();
  } finally {
    clearTimeout(timer);
  }
}

function describeAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
