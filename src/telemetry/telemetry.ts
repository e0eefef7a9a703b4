// The part of telemetry that the rest of the service uses. serve.ts wraps the traced parts of the service, so none of
// them knows about spans, and without tracing nothing is wrapped.

import type { TraceRequest } from "../http/http-context.ts";
import type { GroupFigures, Store } from "../store/interface/store.ts";
import type { SealReceipt } from "../store/interface/receipt.ts";
import type { Bodies, Bulk } from "./trace-bulk.ts";

export interface Tracing {
  readonly request: TraceRequest;
  /** Call for each group commit, before its writes are answered. */
  readonly onGroup: (figures: GroupFigures) => void;
  readonly store: (store: Store) => Store;
  readonly sealReceipt: (seal: SealReceipt) => SealReceipt;
  readonly bulk: (bulk: Bulk) => Bulk;
  readonly bodies: (bodies: Bodies) => Bodies;
  /** Exports the last spans. Resolves when they are exported, or at the latest after the timeout of an export. */
  close(): Promise<void>;
}
