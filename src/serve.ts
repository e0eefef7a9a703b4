// Connects the entry points: opens the store, starts the worker and the HTTP server, and stops them in the right order.

import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { App } from "./actions/app.ts";
import { keepReceiptKey } from "./actions/rotate-receipt-key.ts";
import { keepLedger } from "./actions/keep-ledger.ts";
import { openApp } from "./app.ts";
import { type Config, sqlitePath } from "./config.ts";
import { limits } from "./domain/limits.ts";
import type { BulkClient } from "./http/bulk/bulk-client.ts";
import { type Edge, makeEdge } from "./http/connection/edge.ts";
import type { HttpContext } from "./http/http-context.ts";
import { type Load, makeLoad } from "./http/load/load.ts";
import { isPresent } from "./files/present.ts";
import { makePrivateFolder } from "./files/private-folder.ts";
import { endConnectionsWithReplies } from "./http/connection/draining.ts";
import { openRateLimits, type OpenRateLimits } from "./http/rate-limit/open-rate-limits.ts";
import { makeReplies } from "./http/reply/reply.ts";
import { operations } from "./http/routes.ts";
import { makeServer } from "./http/server.ts";
import { type Logger, makeLog } from "./log.ts";
import { makeMetrics, type Metrics } from "./metrics/metrics.ts";
import { openBulk } from "./open-bulk.ts";
import { openPressureProbe } from "./pressure-probe.ts";
import { makeKeyReader } from "./receipt-key.ts";
import { deletionRound } from "./worker/deletion.ts";
import { type Loop, startLoop } from "./worker/loop.ts";
import { startUpkeep } from "./worker/upkeep.ts";

export interface Serving {
  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  /** From now on it is not ready, and each connection ends with its next reply; requests are still accepted. */
  drain(): void;
  /** Stops accepting, finishes what is in flight, closes the store. */
  stop(): Promise<void>;
}

/** How far a stop has come. */
interface Stage {
  draining: boolean;
  closing: boolean;
}

interface Parts {
  readonly app: App;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly edge: Edge;
  readonly load: Load;
}

/**
 * Logs the warnings, which are about the settings. Throws StoreError or the system's error when it can't start; nothing is
 * left open then.
 */
export async function serve(config: Config, warnings: readonly string[] = []): Promise<Serving> {
  const log = makeLog(config.logLevel);
  for (const warning of warnings) log.warn(warning);
  const edge = makeEdge(config);
  const probe = openPressureProbe();
  const load = makeLoad(probe);
  const metrics = makeMetrics({
    deletions: () => app.store.deletionFigures(app.now()),
    edge,
    load,
  });
  const stopMeasuring = (): void => {
    load.shedding.stop();
    probe.stop();
    metrics.stop();
  };
  // Now rather than at the first deletion, which would find that its ledger can't be written.
  makePrivateFolder(config.dataDir);
  const path = sqlitePath(config.databaseUrl);
  const isNew = path !== undefined && !isPresent(path, "The store");
  const app = await openApp(config, {
    role: "serve",
    onGroup: (figures) => metrics.observeGroup(figures),
    onLeftover: (left) =>
      log.info({ path: left }, "removed what a command that was killed had left"),
  });
  // Names the place, because a new store where one was expected means that the settings or the folder are wrong.
  if (isNew) log.info({ store: path }, "created a new store");
  const opened = new AsyncDisposableStack();
  opened.defer(stopMeasuring);
  opened.defer(() => app.close());
  try {
    await keepReceiptKey(app, makeKeyReader(config)());
    await keepLedger(app);
    opened.defer(() => noteLast(app, log));
    return await startEntryPoints({ app, config, log, metrics, edge, load }, opened);
  } catch (error) {
    // Why the start failed matters more than what can't be closed because of it.
    await opened.disposeAsync().catch((cause: unknown) => {
      log.warn({ err: cause }, "what the start had opened could not be closed");
    });
    throw error;
  }
}

/** Whatever is started is put on `opened` at once, so that a failure of any later step ends it. */
async function startEntryPoints(parts: Parts, opened: AsyncDisposableStack): Promise<Serving> {
  const { app, config, log, metrics, edge } = parts;
  const stage: Stage = { draining: false, closing: false };
  const worker = startWorker(parts);
  opened.defer(() => worker.stop());
  const upkeep = await startUpkeep(app, log);
  opened.defer(() => upkeep.stop());
  const rates = await openRates(parts);
  opened.defer(() => rates.close());
  const bulk = openBulk(app.store, log);
  bulk.start();
  opened.defer(() => bulk.close());
  const beside = { worker, rates, bulk, stage };
  const server = await makeServer(makeHttpContext(parts, beside), {
    trustProxy: config.trustProxy,
    metricsToken: config.metricsToken,
    renderMetrics: () => metrics.render(),
  });
  opened.defer(() => server.close());
  await server.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    throw explainListening(config, error);
  });
  const address = describeAddress(server.server.address());
  log.info({ address, engine: app.store.engine }, "serving");
  const drain = (): void => {
    if (stage.draining) return;
    stage.draining = true;
    endConnectionsWithReplies(server);
    if (config.shutdownDelayMs > 0) log.info({ delay_ms: config.shutdownDelayMs }, "draining");
  };
  return {
    address,
    drain,
    stop: async () => {
      drain();
      stage.closing = true;
      log.info("stopping");
      await closeWithin(server, edge, config.shutdownGraceMs);
      // No connection is left on which anybody could be told of them.
      app.store.refuseWrites();
      bulk.refuseWrites();
      await opened.disposeAsync();
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

interface Beside {
  readonly worker: Loop;
  readonly rates: OpenRateLimits;
  readonly bulk: BulkClient;
  readonly stage: Readonly<Stage>;
}

function makeHttpContext(
  { app, log, metrics, edge, load }: Parts,
  { worker, rates, bulk, stage }: Beside,
): HttpContext {
  const observe: Metrics["observeRequest"] = (...figures) => metrics.observeRequest(...figures);
  return {
    app,
    log,
    edge,
    rates: rates.gate,
    bulk,
    load,
    replies: makeReplies(observe, edge.replies),
    observe,
    onRecordsWritten: (resourceType, count) => metrics.countRecords(resourceType, count),
    onRateLimited: (policy) => metrics.countRateLimited(policy),
    onDeletionRequested: () => worker.wake(),
    operations,
    draining: () => stage.draining,
    closing: () => stage.closing,
  };
}

/** A connection whose last request was in flight at the stop is closed this soon after its reply. */
const idleSweepMs = 20;

/** Waits for requests in flight, but not for their clients to hang up; when the grace period is over, ends what is open. */
async function closeWithin(server: FastifyInstance, edge: Edge, graceMs: number): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), idleSweepMs);
  const timer = setTimeout(() => edge.connections.closeAll(), graceMs);
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
