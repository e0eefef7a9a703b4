// Connects the doors: opens the store, starts the worker and the HTTP server, and stops them in the right order.

import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { App } from "./actions/app.ts";
import { keepReceiptKey } from "./actions/rotate-receipt-key.ts";
import { keepLedger } from "./actions/keep-ledger.ts";
import { openApp } from "./app.ts";
import type { Config } from "./config.ts";
import { limits } from "./domain/limits.ts";
import type { Door } from "./http/door.ts";
import { openRateLimits, type OpenRateLimits } from "./http/open-rate-limits.ts";
import { makeReplies } from "./http/reply.ts";
import { operations } from "./http/routes.ts";
import { makeServer } from "./http/server.ts";
import { type Logger, makeLog } from "./log.ts";
import { makeMetrics, type Metrics } from "./metrics.ts";
import { makeKeyReader } from "./receipt-key.ts";
import { deletionRound } from "./worker/deletion.ts";
import { type Loop, startLoop } from "./worker/loop.ts";
import { startUpkeep } from "./worker/upkeep.ts";

export interface Serving {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  /** Stops accepting, finishes what is in flight, closes the store. */
  stop(): Promise<void>;
}

interface Parts {
  readonly app: App;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Throws StoreError or the system's error when it can't start; nothing is left open then. */
export async function serve(config: Config): Promise<Serving> {
  const log = makeLog(config.logLevel);
  const metrics = makeMetrics(() => app.store.deletionFigures(app.now()));
  const app = await openApp(config, {
    role: "serve",
    onGroup: (figures) => metrics.observeGroup(figures),
    onLeftover: (path) => log.info({ path }, "removed what a command that was killed had left"),
  });
  try {
    await keepReceiptKey(app, makeKeyReader(config)());
    await keepLedger(app);
    return await startDoors({ app, config, log, metrics });
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function startDoors(parts: Parts & { app: { close(): Promise<void> } }): Promise<Serving> {
  const { app, config, log, metrics } = parts;
  const stopping = new AbortController();
  const worker = startWorker(parts);
  const upkeep = await startUpkeep(app, log);
  const rates = await openRates(parts);
  const server = await makeServer(makeDoor(parts, { worker, rates, stopping: stopping.signal }), {
    trustProxy: config.trustProxy,
    renderMetrics: () => metrics.render(),
  });
  const stopWork = () => Promise.all([worker.stop(), upkeep.stop(), rates.close()]);
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (error) {
    await stopWork();
    throw explainListening(config, error);
  }
  const address = describeAddress(server.server.address());
  log.info({ address, engine: app.store.engine }, "serving");
  return {
    address,
    stop: async () => {
      stopping.abort();
      log.info("stopping");
      await closeWithin(server, config.shutdownGraceMs);
      await stopWork();
      await noteLast(app, log);
      await app.close();
      log.info("stopped");
    },
  };
}

/** What happened since the last note; where that fails, the next start makes it good. */
async function noteLast(app: App, log: Logger): Promise<void> {
  await keepLedger(app).catch((error: unknown) => {
    log.error({ err: error }, "the ledger of deletions could not be kept");
  });
}

function startWorker({ app, config, log, metrics }: Parts): Loop {
  const round = deletionRound(app, {
    claimant: `${process.pid}-${randomBytes(6).toString("hex")}`,
    log,
    onCompleted: ({ erased }) => metrics.countDeletionCompleted(sum(Object.values(erased))),
    onPostponed: () => metrics.countDeletionPostponed(),
  });
  return startLoop(round, {
    intervalMs: config.deletionPollMs,
    backOffMsMax: limits.deletionBackOffMsMax,
    onError: (error) => log.error({ err: error }, "the deletion worker failed; it tries again"),
  });
}

async function openRates({ app, config, log, metrics }: Parts): Promise<OpenRateLimits> {
  const { storeId } = await app.store.receiptHead();
  return await openRateLimits(config, {
    now: app.now,
    scope: storeId,
    log,
    onShared: (isShared) => metrics.rateLimitsShared(isShared),
    onCountedAlone: () => metrics.countedAlone(),
  });
}

function makeDoor(
  { app, log, metrics }: Parts,
  { worker, rates, stopping }: { worker: Loop; rates: OpenRateLimits; stopping: AbortSignal },
): Door {
  const observe: Metrics["observeRequest"] = (...figures) => metrics.observeRequest(...figures);
  return {
    app,
    log,
    rates: rates.gate,
    replies: makeReplies(observe),
    observe,
    onRecordsWritten: (resourceType, count) => metrics.countRecords(resourceType, count),
    onRateLimited: (policy) => metrics.countRateLimited(policy),
    onDeletionRequested: () => worker.wake(),
    operations,
    closing: () => stopping.aborted,
  };
}

/** A connection whose last request was in flight at the stop is closed this soon after its reply. */
const idleSweepMs = 20;

/** Waits for requests in flight, but not for their clients to hang up; when the grace period is over, ends what is open. */
async function closeWithin(server: FastifyInstance, graceMs: number): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), idleSweepMs);
  const timer = setTimeout(() => server.server.closeAllConnections(), graceMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(timer);
  }
}

/** What the system says names neither setting. */
function explainListening({ host, port }: Config, cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const what = `Can't listen on ${host}, port ${port}:`;
  if (code === "EADDRINUSE") {
    return new Error(`${what} the port is taken. Name another in PORT; 0 takes a free one.`, {
      cause,
    });
  }
  if (code === "EACCES") {
    return new Error(`${what} this user may not. Name a port from 1024 up in PORT.`, { cause });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    const advice =
      "HOST has to be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all.";
    return new Error(`${what} ${advice}`, { cause });
  }
  return cause;
}

function describeAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
