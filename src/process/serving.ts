// A service that runs, and what tests can replace in it.

import type { App } from "../actions/app.ts";
import type { OperatorError } from "../actions/operator/operator-error.ts";
import type { SharedBounds, BoundsOptions } from "../http/connection/shared-bounds.ts";
import type { Logger } from "../log.ts";
import { openBulk } from "./open-bulk.ts";
import { openPressureProbe } from "./pressure-probe.ts";
import type { Store } from "../store/interface/store.ts";

export interface Serving {
  /** The URL of the server, e.g. `http://127.0.0.1:8080`. */
  readonly address: string;
  readonly app: App;
  readonly sharedBounds: SharedBounds;
  /** Resolves when the store is no longer the one that was opened: requests are refused, and the caller has to stop. */
  readonly replaced: Promise<OperatorError>;
  /** Makes the service not ready and ends each connection with its next reply. Requests are still accepted. */
  drain(): void;
  refuse(): void;
  /** Finishes the requests in flight, for at most `graceMs`, and closes the store. */
  stop(graceMs?: number): Promise<void>;
}

/** What tests can replace. */
export interface ServeOptions {
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
  readonly bounds?: BoundsOptions;
  /** What a feature takes instead of its own parts, by its name. */
  readonly replaced?: Readonly<Record<string, unknown>>;
}
