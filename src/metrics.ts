// The figures that an operator needs, as Prometheus text. docs/reference/metrics.md lists them; a test compares.

import { deletionStatuses } from "./domain/deletion/deletion.ts";
import type { Edge } from "./http/connection/edge.ts";
import { registerConnections } from "./metrics/connection-metrics.ts";
import { type LoadSources, registerLoad } from "./metrics/load-metrics.ts";
import { registerProcess } from "./metrics/process-metrics.ts";
import { Registry } from "./metrics/registry.ts";
import {
  combineSnapshots,
  metricsContentType,
  renderSnapshot,
  type Snapshot,
} from "./metrics/snapshot.ts";
import type { DeletionFigures, GroupFigures } from "./store/store.ts";

export interface Metrics {
  observeRequest(operation: string, status: number, seconds: number): void;
  countRecords(resourceType: string, count: number): void;
  observeGroup(figures: GroupFigures): void;
  countRateLimited(policy: string): void;
  countedAlone(): void;
  rateLimitsShared(isShared: boolean): void;
  countDeletionCompleted(erased: number): void;
  countDeletionPostponed(): void;
  /** The figures of this thread, as plain data. */
  snapshot(): Promise<Snapshot>;
  /** With the figures of other threads, if there are any. */
  render(others?: readonly Snapshot[]): Promise<{ text: string; contentType: string }>;
  /** Ends what measures in the background. */
  stop(): void;
}

/** What is read at each snapshot. */
export interface MetricSources {
  readonly deletions: () => Promise<DeletionFigures>;
  readonly edge: Edge;
  readonly load: LoadSources;
}

export function makeMetrics({ deletions, edge, load }: MetricSources): Metrics {
  const registry = new Registry();
  const requests = registerRequests(registry);
  const writes = registerWrites(registry);
  const rateLimits = registerRateLimits(registry);
  const deleted = registerDeletions(registry, deletions);
  registerConnections(registry, edge);
  registerLoad(registry, load);
  const process = registerProcess(registry);
  return {
    ...requests,
    ...writes,
    ...rateLimits,
    ...deleted,
    snapshot: () => registry.snapshot(),
    render: async (others = []) => {
      const all = combineSnapshots([await registry.snapshot(), ...others]);
      return { text: renderSnapshot(all), contentType: metricsContentType };
    },
    stop: () => process.stop(),
  };
}

function registerRequests(registry: Registry): Pick<Metrics, "observeRequest"> {
  const requests = registry.histograms({
    name: "sluice_request_duration_seconds",
    help: "Requests by operation and status, from the first byte read to the reply handed over.",
    labels: ["operation", "status"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    observeRequest: (operation, status, seconds) =>
      requests.with(operation, status).observe(seconds),
  };
}

function registerWrites(registry: Registry): Pick<Metrics, "countRecords" | "observeGroup"> {
  const records = registry.counters({
    name: "sluice_records_written_total",
    help: "Changes stored, by record type.",
    labels: ["resource_type"],
  });
  const groupSeconds = registry.histogram({
    name: "sluice_group_commit_duration_seconds",
    help: "Time that a group of writes took, up to its commit on stable storage.",
    buckets: [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
  });
  const groupWrites = registry.histogram({
    name: "sluice_group_commit_writes",
    help: "Writes that shared one commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
  });
  return {
    countRecords: (resourceType, count) => records.with(resourceType).add(count),
    observeGroup: ({ writes, seconds }) => {
      groupSeconds.observe(seconds);
      groupWrites.observe(writes);
    },
  };
}

type RateLimitMetrics = Pick<Metrics, "countRateLimited" | "countedAlone" | "rateLimitsShared">;

function registerRateLimits(registry: Registry): RateLimitMetrics {
  const limited = registry.counters({
    name: "sluice_rate_limited_total",
    help: "Requests answered 429, by limit.",
    labels: ["limit"],
  });
  const shared = registry.gauge({
    name: "sluice_rate_limits_shared",
    help: "1 while rate limits are shared with other processes, 0 while this one counts alone.",
    combine: "same",
  });
  const alone = registry.counter({
    name: "sluice_rate_limit_fallbacks_total",
    help: "Requests that this process counted alone since Redis did not answer in time.",
  });
  return {
    countRateLimited: (limit) => limited.with(limit).add(),
    countedAlone: () => alone.add(),
    rateLimitsShared: (isShared) => shared.set(isShared ? 1 : 0),
  };
}

type DeletionMetrics = Pick<Metrics, "countDeletionCompleted" | "countDeletionPostponed">;

function registerDeletions(
  registry: Registry,
  figures: () => Promise<DeletionFigures>,
): DeletionMetrics {
  const completed = registry.counter({
    name: "sluice_deletions_completed_total",
    help: "Deletions completed by this process.",
  });
  const erased = registry.counter({
    name: "sluice_records_erased_total",
    help: "Records erased by this process.",
  });
  const postponed = registry.counter({
    name: "sluice_deletion_failures_total",
    help: "Attempts at a deletion that failed and will be made again.",
  });
  registerDeletionGauges(registry, figures);
  return {
    countDeletionCompleted: (count) => {
      completed.add();
      erased.add(count);
    },
    countDeletionPostponed: () => postponed.add(),
  };
}

/** Read from the store, so the same in every thread. */
function registerDeletionGauges(registry: Registry, figures: () => Promise<DeletionFigures>): void {
  const byState = registry.gauges({
    name: "sluice_deletions",
    help: "Deletion requests by status.",
    labels: ["status"],
    combine: "same",
  });
  const held = registry.gauge({
    name: "sluice_deletions_held",
    help: "Open deletions that wait for the release of a legal hold.",
    combine: "same",
  });
  const oldest = registry.gauge({
    name: "sluice_deletion_oldest_due_age_seconds",
    help: "How long the oldest open deletion that no legal hold keeps has been due.",
    combine: "same",
  });
  registry.onSnapshot(async () => {
    const { byStatus, held: waiting, oldestDueAt } = await figures();
    for (const status of deletionStatuses) byState.with(status).set(byStatus[status]);
    held.set(waiting);
    oldest.set(oldestDueAt === undefined ? 0 : Math.max(0, Date.now() - oldestDueAt) / 1_000);
  });
}
