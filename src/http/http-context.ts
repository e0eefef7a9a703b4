// What the HTTP API is made of: the application behind it and what the entry point itself keeps.

import type { App } from "../actions/app.ts";
import type { Logger } from "../log.ts";
import type { BulkClient } from "./bulk/bulk-client.ts";
import type { Load } from "./load/load.ts";
import type { Edge } from "./connection/edge.ts";
import type { RateGate } from "./rate-limit/rate-limit.ts";
import type { ObserveRequest, Replies } from "./reply/reply.ts";

export interface HttpContext {
  readonly app: App;
  readonly log: Logger;
  readonly edge: Edge;
  readonly rates: RateGate;
  readonly bulk: BulkClient;
  readonly load: Load;
  readonly replies: Replies;
  readonly observe: ObserveRequest;
  readonly onRecordsWritten: (resourceType: string, count: number) => void;
  readonly onRateLimited: (policy: string) => void;
  readonly onDeletionRequested: () => void;
  /** True from the moment the service is asked to stop: it is not ready, but may still accept requests. */
  readonly draining: () => boolean;
  /** True once it refuses requests. */
  readonly closing: () => boolean;
}
