// The service as `serve()` starts it, in this process and on a store of its own, with a clock that the test moves, a
// log that it can read, and a store whose methods it can make fail. See server.ts for the service without replacements.

import { makeLog } from "../../src/log.ts";
import type { App } from "../../src/actions/app.ts";
import { type Config, readConfig } from "../../src/settings/config.ts";
import type { SharedBounds, BoundsOptions } from "../../src/http/connection/shared-bounds.ts";
import type { PressureProbe } from "../../src/http/load/load-shedding.ts";
import { addedSettings } from "../../src/process/added-settings.ts";
import { serve } from "../../src/process/serve.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { type FakeClock, makeFakeClock } from "./fake-clock.ts";
import { bulkInProcess } from "./bulk-in-process.ts";
import { keepThreads } from "./kept-threads.ts";
import { type Client, makeClient } from "./http-client.ts";
import { type Held, type OwnMethod, StoreFaults, type StoreMethod } from "./store-faults.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

keepThreads();

/** So high that a test never reaches them by chance while its clock stands still, although every reply reports them. */
const amplePerSecond = "1000000";

export interface ServiceOptions {
  /** Settings as environment variables, over those that suit tests. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: FakeClock;
  /** By default it moves with the clock. */
  readonly monotonic?: () => number;
  /** A folder that an earlier service left; it is then the test's to remove. */
  readonly folder?: string;
  /** Other bounds over all connections than those of the service. */
  readonly bounds?: BoundsOptions;
  /** Replaces methods of the store. */
  readonly wrapStore?: (store: Store) => Store;
  /** What a feature takes instead of its own parts, by its name. */
  readonly replaced?: Readonly<Record<string, unknown>>;
  /** What load shedding measures. Nothing unless it is given: a busy machine must not decide what a test sees. */
  readonly probe?: PressureProbe;
}

const calm: PressureProbe = { eventLoopDelayMs: () => 0, residentBytes: () => 0 };

export interface Service {
  readonly address: string;
  readonly app: App;
  readonly clock: FakeClock;
  readonly client: Client;
  /** What all connections hold together. */
  readonly sharedBounds: SharedBounds;
  readonly folder: string;
  /** The settings with which another process would open the same store. */
  readonly config: Config;
  /** The lines of the log so far, as JSON. */
  readonly log: readonly string[];
  /** Calls of the method are made with `instead`, until the function that it returns is called. */
  replaceStore<Name extends OwnMethod>(method: Name, instead: Store[Name]): () => void;
  /** Makes a method of the store reject with this error, until the function that it returns is called. */
  breakStore(method: StoreMethod, error: Error): () => void;
  /** Keeps the calls of a method of the store waiting, until they are released. */
  holdStore(method: StoreMethod, calls?: number): Held;
  /** From now on the service answers like one that will shut down after its delay. */
  beginDraining(): void;
  /** From now on the service answers like one that is shutting down. */
  beginClosing(): void;
  stop(): Promise<void>;
}

/**
 * Gives the settings of a new store, for services that are told none, or others that suit the service and its clock.
 */
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
  const config = readConfig(
    testEnvironment(folder, { ...stored, ...options.environment }),
    addedSettings,
  );
  const log: string[] = [];
  const faults = new StoreFaults();
  const serving = await serve(config, {
    now: clock.now,
    ...(options.monotonic === undefined ? {} : { monotonic: options.monotonic }),
    log: makeLog("info", (line) => log.push(line)),
    wrapStore: (store) => faults.wrap(options.wrapStore?.(store) ?? store),
    openBulk: bulkInProcess,
    ...(options.replaced === undefined ? {} : { replaced: options.replaced }),
    openProbe: () => ({ ...(options.probe ?? calm), stop: () => undefined }),
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
  });
  const { address, app, sharedBounds } = serving;
  const client = makeClient(address);
  return {
    address,
    app,
    clock,
    client,
    config,
    sharedBounds,
    folder,
    log,
    replaceStore: (method, instead) => faults.replace(method, instead),
    breakStore: (method, error) => faults.break(method, error),
    holdStore: (method, calls) => faults.hold(method, calls),
    beginDraining: () => serving.drain(),
    beginClosing: () => serving.refuse(),
    stop: async () => {
      client.close();
      await serving.stop();
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
    // Tests move the clock as they like.
    CLOCK_JUMP_HOURS: "0",
    DELETION_POLL_MS: "100",
    TRUST_PROXY: "127.0.0.1",
    ...more,
  };
}
