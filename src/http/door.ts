// What the HTTP door is made of: the application behind it and what the door itself keeps.

import type { App } from "../actions/app.ts";
import type { Logger } from "../log.ts";
import type { Operation } from "./operation.ts";
import type { RateGate } from "./rate-limit.ts";
import type { ObserveRequest, Replies } from "./reply.ts";

export interface Door {
  readonly app: App;
  readonly log: Logger;
  readonly rates: RateGate;
  readonly replies: Replies;
  readonly observe: ObserveRequest;
  readonly onRecordsWritten: (resourceType: string, count: number) => void;
  readonly onRateLimited: (policy: string) => void;
  readonly onDeletionRequested: () => void;
  readonly operations: readonly Operation[];
  /** True from the moment the service is asked to stop: it is not ready, but may still accept requests. */
  readonly draining: () => boolean;
  /** True once it refuses requests. */
  readonly closing: () => boolean;
}
