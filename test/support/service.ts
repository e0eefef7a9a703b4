// A whole service in this process, on a store of its own: the parts that src/serve.ts connects, with a clock that the
// test moves, a log that it can read, and a store whose methods it can make fail. For the service exactly as it is
// started, see server.ts.

import { type Logger, pino } from "pino";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/actions/app.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { type Edge, type EdgeBounds, makeEdge } from "../../src/http/connection/edge.ts";
import type { HttpContext } from "../../src/http/http-context.ts";
import { openRateLimits } from "../../src/http/rate-limit/open-rate-limits.ts";
import { makeReplies } from "../../src/http/reply/reply.ts";
import { operations } from "../../src/http/routes.ts";
import { makeServer } from "../../src/http/server.ts";
import type { PressureProbe } from "../../src/http/load/load-shedding.ts";
import { makeLoad } from "../../src/http/load/load.ts";
import { makeMetrics } from "../../src/metrics/metrics.ts";
import type { Store } from "../../src/store/store.ts";
import { deletionRound } from "../../src/worker/deletion.ts";
import { type Loop, startLoop } from "../../src/worker/loop.ts";
import { startUpkeep } from "../../src/worker/upkeep.ts";
import { type FakeClock, makeFakeClock } from "./fake-clock.ts";
import { bulkInProcess } from "./bulk-in-process.ts";
import { type Client, makeClient } from "./http-client.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

/** High enough never to be met by chance on a clock that stands still, and yet every reply tells of its limits. */
const amplePerSecond = "1000000";

export interface ServiceOptions {
  /** Settings as environment variables, over those that suit tests. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: FakeClock;
  /** A folder that an earlier service left; it is then the test's to remove. */
  readonly folder?: string;
  /** Other bounds over all connections than those of the service. */
  readonly bounds?: EdgeBounds;
  /** What load shedding measures. Nothing unless it is given: a busy machine must not decide what a test sees. */
  readonly probe?: PressureProbe;
}

const calm: PressureProbe = { eventLoopDelayMs: () => 0, residentBytes: () => 0 };

export type StoreMethod = Exclude<keyof Store, "engine" | "schemaVersion">;

export interface Held {
  /** Resolves when the method has been called. */
  readonly called: Promise<void>;
  /** Lets all calls go on, and no further ones wait. */
  release(): void;
}

export interface Service {
  readonly address: string;
  readonly app: App;
  readonly clock: FakeClock;
  readonly client: Client;
  /** What all connections hold together. */
  readonly edge: Edge;
  readonly folder: string;
  /** With which another process would open the same store. */
  readonly config: Config;
  /** Lines of the log so far, as JSON. */
  readonly log: readonly string[];
  /** Makes a method of the store reject with this error, until the function that it returns is called. */
  breakStore(method: StoreMethod, error: Error): () => void;
  /** Keeps the calls of a method of the store waiting, until they are released. */
  holdStore(method: StoreMethod): Held;
  /** From now on the service answers as one that is shutting down. */
  beginClosing(): void;
  stop(): Promise<void>;
}

/** Gives the settings of a new store, for services that are told none, or others that suit the service and its clock. */
type MakeStore = (folder: string, clock: FakeClock) => Promise<Readonly<Record<string, string>>>;

let makeStore: MakeStore = (folder) =>
  Promise.resolve({ DATABASE_URL: `sqlite:${folder}/sluice.db` });

/** From now on services of this process get their stores from here. */
export function useStores(make: MakeStore): void {
  makeStore = make;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = options.folder ?? makeTempFolder();
  const clock = options.clock ?? makeFakeClock();
  const stored = await makeStore(folder, clock);
  const config = readConfig(testEnvironment(folder, { ...stored, ...options.environment }));
  const opened = await openApp(config, { role: "serve", now: clock.now });
  const { store, breakStore, holdStore } = breakable(opened.store);
  const app: App = { ...opened, store };
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => log.push(line) });
  const edge = makeEdge(config, options.bounds);
  const load = makeLoad(options.probe ?? calm);
  const deletions = () => app.store.deletionFigures(app.now());
  const metrics = makeMetrics({ deletions, edge, load });
  const upkeep = await startUpkeep(app, logger);
  const worker = startWorker(app, { intervalMs: config.deletionPollMs, log: logger });
  const rates = await openRateLimits(config, {
    now: app.now,
    scope: folder,
    log: logger,
    onShared: (isShared) => metrics.rateLimitsShared(isShared),
    onCountedAlone: () => metrics.countedAlone(),
  });
  const bulk = bulkInProcess(app.store);
  const stopping = { isDraining: false, isClosing: false };
  const context: HttpContext = {
    app,
    log: logger,
    edge,
    rates: rates.gate,
    bulk,
    load,
    replies: makeReplies((...figures) => metrics.observeRequest(...figures), edge.replies),
    observe: (...figures) => metrics.observeRequest(...figures),
    onRecordsWritten: (resourceType, count) => metrics.countRecords(resourceType, count),
    onRateLimited: (policy) => metrics.countRateLimited(policy),
    onDeletionRequested: () => worker.wake(),
    operations,
    draining: () => stopping.isDraining,
    closing: () => stopping.isClosing,
  };
  const server = await makeServer(context, { ...config, renderMetrics: () => metrics.render() });
  const address = await server.listen({ host: config.host, port: config.port });
  const client = makeClient(address);
  return {
    address,
    app,
    clock,
    client,
    config,
    edge,
    folder,
    log,
    breakStore,
    holdStore,
    beginClosing: () => {
      Object.assign(stopping, { isDraining: true, isClosing: true });
    },
    stop: async () => {
      client.close();
      for (const part of [server, bulk]) await part.close();
      for (const part of [metrics, load.shedding]) part.stop();
      await rates.close();
      for (const loop of [worker, upkeep]) await loop.stop();
      await opened.close();
      if (options.folder === undefined) removeFolder(folder);
    },
  };
}

function startWorker(
  app: App,
  { intervalMs, log }: { readonly intervalMs: number; readonly log: Logger },
): Loop {
  return startLoop(deletionRound(app, { claimant: `test-${process.pid}`, log }), {
    intervalMs,
    backOffMsMax: intervalMs,
    onError: (error) => log.error({ err: error }, "the deletion worker failed"),
  });
}

/** Failed authentications count by address; behind a trusted proxy each test can have addresses of its own. */
export function testEnvironment(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    PORT: "0",
    DATABASE_URL: `sqlite:${folder}/sluice.db`,
    DATA_DIR: folder,
    LOG_LEVEL: "silent",
    RATE_LIMIT_PER_SECOND: amplePerSecond,
    DELETION_POLL_MS: "20",
    TRUST_PROXY: "127.0.0.1",
    ...more,
  };
}

type Method = (...sent: readonly unknown[]) => Promise<unknown>;

function breakable(real: Store): { store: Store } & Pick<Service, "breakStore" | "holdStore"> {
  const replaced = new Map<string | symbol, Method>();
  const bound = (name: string | symbol): unknown => {
    const value: unknown = Reflect.get(real, name, real);
    return typeof value === "function" ? value.bind(real) : value;
  };
  return {
    store: new Proxy(real, { get: (_, name) => replaced.get(name) ?? bound(name) }),
    breakStore: (method, error) => {
      replaced.set(method, () => Promise.reject(error));
      return () => void replaced.delete(method);
    },
    holdStore: (method) => {
      const called = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      replaced.set(method, async (...sent) => {
        called.resolve();
        await released.promise;
        return (bound(method) as Method)(...sent);
      });
      return {
        called: called.promise,
        release: () => {
          replaced.delete(method);
          released.resolve();
        },
      };
    },
  };
}
