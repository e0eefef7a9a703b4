// Starts the service: opens the store, starts the worker and the HTTP server, and stops them in the right order.

import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { uptime } from "node:os";
import type { FastifyInstance } from "fastify";
import type { App } from "../actions/app.ts";
import { ChangeFeed } from "../actions/change/change-feed.ts";
import { makeSealReceipt } from "../actions/receipt/issue-receipt.ts";
import { keepReceiptKey } from "../actions/receipt/receipt-keys.ts";
import { keepLedger } from "../actions/ledger/keep-ledger.ts";
import type { OperatorError } from "../actions/operator/operator-error.ts";
import { type AppOptions, openApp } from "./app.ts";
import { awaitStore } from "./await-store.ts";
import type { Observer } from "../feature/feature.ts";
import type { Config } from "../settings/config.ts";
import { limits } from "../domain/limits.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import type { BulkClient } from "../http/bulk/bulk-client.ts";
import { makeMainLists } from "../http/bulk/main-lists.ts";
import { LiveReaders } from "../http/changes/live-readers.ts";
import { type Edge, type EdgeBounds, makeEdge } from "../http/connection/shared-bounds.ts";
import type { HttpContext } from "../http/http-context.ts";
import { type Load, makeLoad } from "../http/load/load.ts";
import { codeOf } from "../files/file-error.ts";
import { isPresent } from "../files/present.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { endConnectionsWithReplies } from "../http/connection/draining.ts";
import { makeFailureLog } from "../http/rate-limit/failure-log.ts";
import { makeRateGate } from "../http/rate-limit/rate-limit.ts";
import { makeReplies, type ObserveRequest } from "../http/reply/reply.ts";
import { makeServer } from "../http/server.ts";
import { type Logger, makeLog } from "../log.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { RefusalHistory } from "../metrics/refusals.ts";
import { storedFigures } from "../metrics/stored-figures.ts";
import { indexes } from "./indexes.ts";
import { openClock } from "./open-clock.ts";
import { loadDocument } from "./load-document.ts";
import { openBulk } from "./open-bulk.ts";
import { type ConsoleParts, openConsole } from "./open-console.ts";
import { operations } from "./operations.ts";
import { openServices } from "./open-services.ts";
import { openPressureProbe } from "./pressure-probe.ts";
import { makeKeyReader } from "../data-folder/receipt-key.ts";
import type { Store } from "../store/interface/store.ts";
import type { SealReceipt } from "../store/interface/receipt.ts";
import { version } from "./version.ts";
import type { TrustedClock } from "../actions/upkeep/clock.ts";
import { deletionRound } from "../worker/deletion.ts";
import { type Loop, startLoop } from "../worker/loop.ts";
import { type Rounds, startUpkeep } from "../worker/upkeep.ts";
import { deletionBackOffMsMax } from "../actions/deletion/process-deletions.ts";

export interface Serving {
  /** The URL of the server, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly app: App;
  readonly edge: Edge;
  /** Live requests for changes. */
  readonly readers: () => number;
  /** Resolves when the store is no longer the one that was opened: requests are refused, and the caller has to stop. */
  readonly replaced: Promise<OperatorError>;
  /** Makes the service not ready and ends each connection with its next reply. Requests are still accepted. */
  drain(): void;
  refuse(): void;
  /** Finishes the requests in flight, for at most `graceMs`, and closes the store. */
  stop(graceMs?: number): Promise<void>;
}

/** What tests can replace; operators set only the warnings. */
export interface ServeOptions {
  /** About the settings; logged at the start. */
  readonly warnings?: readonly string[];
  readonly log?: Logger;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /**
   * Milliseconds of a clock that nobody can set; by default `now`, if that is given, or the uptime of the host, which
   * includes the time in which it was suspended.
   */
  readonly monotonic?: () => number;
  /** Applied to the store before anything uses it. */
  readonly wrapStore?: (store: Store) => Store;
  readonly openBulk?: typeof openBulk;
  readonly openProbe?: typeof openPressureProbe;
  readonly bounds?: EdgeBounds;
  /** What a feature takes instead of its own parts, by its name. */
  readonly replaced?: Readonly<Record<string, unknown>>;
}

interface Stage {
  draining: boolean;
  closing: boolean;
}

interface Parts extends ConsoleParts {
  readonly edge: Edge;
  readonly load: Load;
  readonly stage: Stage;
  readonly monotonic: () => number;
  readonly observer: Observer | undefined;
}

/**
 * If it throws, everything is closed again. Throws StoreError, FileError or the system's error when the service can't
 * start; then everything is closed again.
 */
export async function serve(config: Config, options: ServeOptions = {}): Promise<Serving> {
  const { log = makeLog(config.logLevel), warnings = [] } = options;
  for (const warning of warnings) log.warn(warning);
  const opened = new AsyncDisposableStack();
  try {
    const parts = await openParts(config, { ...options, log }, opened);
    return await startEntryPoints(parts, options.openBulk ?? openBulk, opened);
  } catch (error) {
    // Why the start failed matters more than a failure to close what was open.
    await opened.disposeAsync().catch((cause: unknown) => {
      log.warn({ err: cause }, "closing after a failed start failed");
    });
    throw error;
  }
}

/** Everything that is opened is added to `opened` at once, so that a failure of any later step closes it. */
async function openParts(
  config: Config,
  options: ServeOptions & { readonly log: Logger },
  opened: AsyncDisposableStack,
): Promise<Parts> {
  const { log, wrapStore = (store) => store, openProbe = openPressureProbe } = options;
  const edge = makeEdge(config, options.bounds);
  const probe = openProbe();
  opened.defer(() => probe.stop());
  const load = makeLoad(probe);
  opened.defer(() => load.shedding.stop());
  const path = sqlitePath(config.databaseUrl);
  const metrics = makeMetrics({
    build: {
      version,
      node: process.versions.node,
      engine: path === undefined ? "postgres" : "sqlite",
    },
    ...storedFigures(() => app),
    dataDir: config.dataDir,
    edge,
    load,
  });
  opened.defer(() => metrics.stop());
  const { registry } = metrics;
  const { replaced, monotonic = options.now ?? (() => uptime() * 1_000) } = options;
  const services = await openServices(
    { config, registry, app: () => app, log, monotonic, version, ...(replaced && { replaced }) },
    opened,
  );
  const observer = services.find((one) => one.observer !== undefined)?.observer;
  // Checked now rather than at the first deletion, which could not write its ledger.
  makePrivateFolder(config.dataDir);
  const isNew = path !== undefined && !isPresent(path, "The store");
  const appOptions: AppOptions = {
    role: "serve",
    existing: config.production,
    ...(options.now === undefined ? {} : { now: options.now }),
    onGroup: (figures) => {
      metrics.groupSeconds.observe(figures.seconds);
      metrics.groupWrites.observe(figures.writes);
      observer?.onGroup(figures);
    },
    ...(observer && { sealReceipt: observer.sealReceipt(makeSeal(config, options)) }),
    onNotice: (text) => log.warn(text),
    onLeftover: (left) => log.info({ path: left }, "removed a file of a killed command"),
  };
  const waiting = { timeoutMs: config.databaseStartTimeoutMs, log };
  const openedApp = await awaitStore(() => openApp(config, appOptions), waiting);
  opened.defer(() => openedApp.close());
  // Logs the path: a new store where an existing one was expected means that the settings or the folder are wrong.
  if (isNew) log.info({ store: path }, "created a new store");
  const store = wrapStore(openedApp.store);
  const app: App = { ...openedApp, store: observer?.store(store) ?? store };
  await keepReceiptKey(app, makeKeyReader(config)());
  await keepLedger(app);
  opened.defer(() => updateLedger(app, log));
  const stage = { draining: false, closing: false };
  const refusals = new RefusalHistory(app.now);
  const shared = { app, config, log, metrics, refusals, services };
  return { ...shared, edge, load, stage, observer, monotonic };
}

function makeSeal(config: Config, { now = Date.now }: ServeOptions): SealReceipt {
  return makeSealReceipt(makeKeyReader(config), now);
}

async function startEntryPoints(
  parts: Parts,
  startBulk: typeof openBulk,
  opened: AsyncDisposableStack,
): Promise<Serving> {
  const { app, config, log, metrics, edge, stage } = parts;
  const trustedClock = openClock(parts);
  const worker = startWorker(parts, trustedClock);
  opened.defer(() => worker.stop());
  const replaced = Promise.withResolvers<OperatorError>();
  const upkeep = await startUpkeep(app, log, {
    added: Object.assign({}, ...parts.services.map(({ upkeep: rounds }) => rounds)) as Rounds,
    indexes,
    trustedClock,
    onReplaced: replaced.resolve,
  });
  opened.defer(() => upkeep.stop());
  for (const { start } of parts.services) {
    const work = start?.(app);
    opened.defer(async () => work?.stop());
  }
  const bulk = startBulk(app.store, log);
  opened.defer(() => bulk.close());
  const feed = await ChangeFeed.open(app);
  const context = makeHttpContext(parts, { worker, bulk, feed });
  const server = makeServer(context, {
    operations,
    trustProxy: config.trustProxy,
    loadDocument,
    metricsToken: config.metricsToken,
    renderMetrics: () => metrics.render(),
    mount: config.console ? openConsole(parts, context, opened) : undefined,
  });
  opened.defer(() => server.close());
  const { host, port } = config;
  const backlog = limits.connectionsWaitingMax;
  await server.listen({ host, port, backlog }).catch((error: unknown) => {
    throw explainListening(config, error);
  });
  const address = describeAddress(server.server.address());
  log.info({ address, engine: app.store.engine }, "serving");
  const drain = (): void => {
    if (stage.draining) return;
    stage.draining = true;
    endConnectionsWithReplies(server, edge.connections);
    context.feed.stop();
    if (config.shutdownDelayMs > 0) log.info({ delay_ms: config.shutdownDelayMs }, "draining");
  };
  const refuse = (): void => {
    drain();
    stage.closing = true;
  };
  void replaced.promise.then(refuse);
  const stop = async (graceMs = config.shutdownGraceMs): Promise<void> => {
    refuse();
    log.info("stopping");
    const stopping = parts.services.map(({ onStop }) => onStop?.());
    await Promise.all([closeWithin(server, edge, graceMs), ...stopping]);
    // No connection is left on which a client could learn their outcome.
    app.store.refuseWrites();
    bulk.refuseWrites();
    await opened.disposeAsync();
    log.info("stopped");
  };
  const readers = () => context.liveReaders.count;
  return { address, app, edge, readers, replaced: replaced.promise, drain, refuse, stop };
}

/** If this fails, the next start brings the ledger up to date. */
async function updateLedger(app: App, log: Logger): Promise<void> {
  await keepLedger(app).catch((error: unknown) => {
    log.error({ err: error }, "the ledger of deletions could not be updated");
  });
}

function startWorker({ app, config, log, metrics }: Parts, trustedClock: TrustedClock): Loop {
  const round = deletionRound(app, {
    claimant: `${process.pid}-${randomBytes(6).toString("hex")}`,
    log,
    trustedClock,
    onCompleted: (_deletion, erased) => {
      metrics.deletionsCompleted.add();
      for (const count of Object.values(erased)) metrics.recordsErased.add(count);
    },
    onPostponed: () => metrics.deletionsPostponed.add(),
  });
  return startLoop(round, {
    intervalMs: config.deletionPollMs,
    backOffMsMax: deletionBackOffMsMax,
    onError: (error) => log.error({ err: error }, "the deletion worker failed; it will try again"),
  });
}

interface EntryPoints {
  readonly worker: Loop;
  readonly bulk: BulkClient;
  readonly feed: ChangeFeed;
}

function makeHttpContext(
  { app, config, log, metrics, refusals, edge, load, stage, observer }: Parts,
  { worker, bulk, feed }: EntryPoints,
): HttpContext {
  const observe: ObserveRequest = (operation, status, seconds) =>
    metrics.requests.with(operation, status).observe(seconds);
  return {
    app,
    log,
    edge,
    rates: makeRateGate(config.rateLimitPerSecond, app.now),
    failures: makeFailureLog(log, app.now, (where) => {
      metrics.failedAuthentications.with(where).add();
    }),
    bulk: observer?.bulk(bulk) ?? bulk,
    lists: makeMainLists(app.store, () => bulk.prepare()),
    feed,
    liveReaders: new LiveReaders(),
    load: observer === undefined ? load : { ...load, bodies: observer.bodies(load.bodies) },
    replies: makeReplies(observe, edge),
    observe,
    traceRequest: observer?.request,
    onRecordsWritten: (resourceType, count) => metrics.records.with(resourceType).add(count),
    onRateLimited: (policy) => metrics.rateLimited.with(policy).add(),
    onRefused: (refused) => {
      refusals.add(refused);
      const codes = refused.counts.filter(([code]) => Math.floor(code / 100) === 403);
      for (const [, , count] of codes) metrics.rightsRefused.with("api").add(count);
    },
    onRightRefused: () => metrics.rightsRefused.with("console").add(),
    onDeletionRequested: () => worker.wake(),
    draining: () => stage.draining,
    closing: () => stage.closing,
  };
}

/** A connection whose last request was in flight at the stop is closed within this time after its reply. */
const idleSweepMs = 20;

/** Waits for requests in flight, not for clients to close; after the grace period, closes every connection. */
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

/** Explains which setting to change; the system's message names none. */
function explainListening({ host, port }: Config, cause: unknown): unknown {
  const code = codeOf(cause);
  const what = `Can't listen on ${host}, port ${port}:`;
  if (code === "EADDRINUSE") {
    return new Error(
      `${what} the port is in use. Set PORT to another one, or to 0 for any free port.`,
      {
        cause,
      },
    );
  }
  if (code === "EACCES") {
    return new Error(`${what} permission denied. Set PORT to 1024 or higher.`, { cause });
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    const advice =
      "HOST must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all.";
    return new Error(`${what} ${advice}`, { cause });
  }
  return cause;
}

function describeAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") throw new Error("the server has no address");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
