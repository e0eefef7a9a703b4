// A whole service in this process, on a store of its own: the parts that src/serve.ts connects, with a clock that the
// test moves, a log that it can read, and a store whose methods it can make fail. For the service exactly as it is
// started, see server.ts.

import { pino } from "pino";
import { openApp } from "../../src/app.ts";
import type { App } from "../../src/actions/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Door } from "../../src/http/door.ts";
import { RateLimits } from "../../src/http/rate-limit.ts";
import { makeReplies } from "../../src/http/reply.ts";
import { operations } from "../../src/http/routes.ts";
import { makeServer } from "../../src/http/server.ts";
import { makeMetrics } from "../../src/metrics.ts";
import type { Store } from "../../src/store/store.ts";
import { deletionRound } from "../../src/worker/deletion.ts";
import { startLoop } from "../../src/worker/loop.ts";
import { startUpkeep } from "../../src/worker/upkeep.ts";
import { type FakeClock, makeFakeClock } from "./fake-clock.ts";
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
}

export interface Service {
  readonly address: string;
  readonly app: App;
  readonly clock: FakeClock;
  readonly client: Client;
  readonly folder: string;
  /** Lines of the log so far, as JSON. */
  readonly log: readonly string[];
  /** Puts something in the place of a method of the store, until the function that it returns is called. */
  replace<Name extends keyof Store>(
    name: Name,
    make: (real: Store[Name]) => Store[Name],
  ): () => void;
  /** From now on the service answers as one that is shutting down. */
  beginClosing(): void;
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = options.folder ?? makeTempFolder();
  const clock = options.clock ?? makeFakeClock();
  const config = readConfig(testEnvironment(folder, options.environment));
  const opened = await openApp(config, { role: "serve", now: clock.now });
  const { store, replace } = replaceable(opened.store);
  const app: App = { ...opened, store };
  const log: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => log.push(line) });
  const metrics = makeMetrics(() => app.store.deletionFigures(app.now()));
  const upkeep = await startUpkeep(app, logger);
  const worker = startLoop(deletionRound(app, { claimant: `test-${process.pid}`, log: logger }), {
    intervalMs: config.deletionPollMs,
    backOffMsMax: config.deletionPollMs,
    onError: (error) => logger.error({ err: error }, "the deletion worker failed"),
  });
  let closing = false;
  const door: Door = {
    app,
    log: logger,
    rates: new RateLimits(config.rateLimitPerSecond, app.now),
    replies: makeReplies((...figures) => metrics.observeRequest(...figures)),
    observe: (...figures) => metrics.observeRequest(...figures),
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
  const address = await server.listen({ host: config.host, port: config.port });
  const client = makeClient(address);
  return {
    address,
    app,
    clock,
    client,
    folder,
    log,
    replace,
    beginClosing: () => {
      closing = true;
    },
    stop: async () => {
      client.close();
      await server.close();
      await worker.stop();
      await upkeep.stop();
      await opened.close();
      if (options.folder === undefined) removeFolder(folder);
    },
  };
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

function replaceable(real: Store): { store: Store; replace: Service["replace"] } {
  const replaced = new Map<string | symbol, unknown>();
  const store = new Proxy(real, {
    get(target, name) {
      if (replaced.has(name)) return replaced.get(name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    store,
    replace: (name, make) => {
      const original = real[name];
      const bound = typeof original === "function" ? original.bind(real) : original;
      replaced.set(name, make(bound as typeof original));
      return () => replaced.delete(name);
    },
  };
}
