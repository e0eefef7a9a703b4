// Starts the service: opens the store, starts the worker and the HTTP server, and stops them in the right order.

import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { App } from "../actions/app.ts";
import { keepReceiptKey, makeSealReceipt } from "../actions/receipt/receipt-keys.ts";
import { keepLedger } from "../actions/ledger/keep-ledger.ts";
import type { OperatorError } from "../actions/operator/operator-error.ts";
import { type AppOptions, openApp } from "./app.ts";
import type { Config } from "../settings/config.ts";
import { onlyMessage, startThread } from "../basics/thread.ts";
import { limits } from "../domain/limits.ts";
import { sqlitePath } from "../files/sqlite-path.ts";
import { makeSharedBounds } from "../http/connection/shared-bounds.ts";
import { makeLoad } from "../http/load/load.ts";
import { isPresent } from "../files/present.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { makeServer } from "../http/server.ts";
import { type Logger, makeLog } from "../log.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { storedFigures } from "../metrics/stored-figures.ts";
import { makeAwaitStore } from "./await-store.ts";
import { indexes } from "./indexes.ts";
import { openBulk } from "./open-bulk.ts";
import { openConsole } from "./open-console.ts";
import { operations, publicRoutes } from "./operations.ts";
import { openPressureProbe } from "./pressure-probe.ts";
import { makeKeyReader } from "../data-folder/receipt-key.ts";
import type { SealReceipt } from "../store/interface/deletion.ts";
import { version } from "./version.ts";
import type { TrustedClock } from "../actions/upkeep/clock.ts";
import { deletionRound } from "../worker/deletion.ts";
import { type Loop, startLoop } from "../worker/loop.ts";
import { type Rounds, startUpkeep } from "../worker/upkeep.ts";
import { deletionBackOffMsMax } from "../actions/deletion/postpone-deletion.ts";
import {
  closeWithin,
  describeAddress,
  endConnectionsWithReplies,
  endWithin,
  explainListening,
  requireAddress,
} from "./listening.ts";
import { type Parts, makeHttpContext, openClock, openServices } from "./service-parts.ts";
import type { Serving, ServeOptions } from "./serving.ts";

/** Throws StoreError, FileError or the system's error when the service can't start; then everything is closed again. */
export async function serve(config: Config, options: ServeOptions = {}): Promise<Serving> {
  const { log = makeLog(config.logLevel) } = options;
  const opened = new AsyncDisposableStack();
  try {
    await requireAddress(config);
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
  const sharedBounds = makeSharedBounds(config, options.bounds);
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
    sharedBounds,
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
  const awaitStore = makeAwaitStore(config.databaseStartTimeoutMs, log);
  const openedApp = await awaitStore(() => openApp(config, appOptions));
  opened.defer(() => openedApp.close());
  // Logs the path: a new store where an existing one was expected means that the settings or the folder are wrong.
  if (isNew) log.info({ store: path }, "created a new store");
  const store = wrapStore(openedApp.store);
  const app: App = { ...openedApp, store: observer?.store(store) ?? store };
  await awaitStore(() => keepReceiptKey(app, makeKeyReader(config)()));
  await awaitStore(() => keepLedger(app));
  opened.defer(() => updateLedger(app, log));
  const stage = { draining: new AbortController(), closing: false };
  const shared = { app, config, log, metrics, services };
  return { ...shared, sharedBounds, load, stage, observer, monotonic, awaitStore };
}

function makeSeal(config: Config, { now = Date.now }: ServeOptions): SealReceipt {
  return makeSealReceipt(makeKeyReader(config), now);
}

async function startEntryPoints(
  parts: Parts,
  startBulk: typeof openBulk,
  opened: AsyncDisposableStack,
): Promise<Serving> {
  const { app, config, log, metrics, sharedBounds, stage } = parts;
  const trustedClock = openClock(parts);
  const worker = startWorker(parts, trustedClock);
  opened.defer(() => worker.stop());
  const replaced = Promise.withResolvers<OperatorError>();
  const upkeepOptions = {
    added: Object.assign({}, ...parts.services.map(({ upkeep: rounds }) => rounds)) as Rounds,
    indexes,
    trustedClock,
    onReplaced: replaced.resolve,
  };
  const upkeep = await parts.awaitStore(() => startUpkeep(app, log, upkeepOptions));
  opened.defer(() => upkeep.stop());
  const works = parts.services.flatMap(({ start }) => start?.(app) ?? []);
  for (const work of works) opened.defer(() => work.stop());
  const bulk = startBulk(app.store, log);
  opened.defer(() => bulk.close());
  const context = makeHttpContext(parts, { worker, bulk });
  const server = makeServer(context, {
    operations,
    publicRoutes,
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
    if (context.draining.aborted) return;
    stage.draining.abort();
    endConnectionsWithReplies(server, sharedBounds.connections);
    if (config.shutdownDelayMs > 0) log.info({ delay_ms: config.shutdownDelayMs }, "draining");
  };
  const refuse = (): void => {
    drain();
    stage.closing = true;
  };
  void replaced.promise.then(refuse);
  const end = async (graceMs: number): Promise<void> => {
    // They need not wait for the requests in flight, nor for each other.
    for (const work of [worker, upkeep, ...works]) void work.stop();
    const stopping = parts.services.map(({ onStop }) => onStop?.());
    await Promise.all([closeWithin(server, sharedBounds, graceMs), ...stopping]);
    // No connection is left on which a client could learn their outcome.
    app.store.refuseWrites();
    bulk.refuseWrites();
    await opened.disposeAsync();
  };
  const stop = (graceMs = config.shutdownGraceMs): Promise<void> => {
    refuse();
    return endWithin(graceMs, log, end);
  };
  return { address, app, sharedBounds, replaced: replaced.promise, drain, refuse, stop };
}

/**
 * The OpenAPI document is slow to make and rarely requested: a thread makes it and ends, which releases its memory, and
 * other requests do not wait. Rejects if the thread fails.
 */
function loadDocument(): Promise<string> {
  const ended = new Error("the thread of the OpenAPI document ended without a result");
  return onlyMessage(startThread(import.meta.url, "document-thread"), ended);
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
