// What all handlers share: the application, limits, log and metrics.

import type { App } from "../actions/app.ts";
import type { Logger } from "../log.ts";
import type { BulkClient } from "./bulk/bulk-client.ts";
import type { Load } from "./load/load.ts";
import type { SharedBounds } from "./connection/shared-bounds.ts";
import type { FailureLog } from "./rate-limit/failure-log.ts";
import type { RateGate } from "./rate-limit/rate-limit.ts";
import type { Exchange, ObserveRequest } from "./reply/reply.ts";

/** Runs `work`, which answers the request, as its span. `route` is the path of the operation. */
export type TraceRequest = (exchange: Exchange, route: string, work: () => void) => void;

export interface HttpContext {
  readonly app: App;
  readonly log: Logger;
  readonly sharedBounds: SharedBounds;
  readonly rates: RateGate;
  readonly failures: FailureLog;
  readonly bulk: Pick<BulkClient, "writeList" | "openStream">;
  readonly lists: Pick<BulkClient, "writeList">;
  readonly load: Load;
  readonly observe: ObserveRequest;
  readonly traceRequest?: TraceRequest | undefined;
  readonly onRecordsWritten: (resourceType: string, count: number) => void;
  readonly onRateLimited: (policy: string) => void;
  /** Called when a caller lacks a scope, or an operator a right. */
  readonly onRightRefused: (where: "api" | "console") => void;
  readonly onDeletionRequested: () => void;
  /** Aborted when the service is asked to stop: it is not ready, and what waits ends, but it may accept requests. */
  readonly draining: AbortSignal;
  /** True once it refuses requests. */
  readonly closing: () => boolean;
}
