// The figures that an operator needs, as Prometheus text. docs/reference/metrics.md lists them; a test compares.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { deletionStatuses } from "./domain/deletion.ts";
import type { Edge } from "./http/connection/edge.ts";
import { registerConnections } from "./http-metrics.ts";
import type { DeletionFigures, GroupFigures } from "./store/store.ts";
import { RequestHistogram } from "./request-histogram.ts";

export interface Metrics {
  observeRequest(operation: string, status: number, seconds: number): void;
  countRecords(resourceType: string, count: number): void;
  observeGroup(figures: GroupFigures): void;
  countRateLimited(policy: string): void;
  countedAlone(): void;
  rateLimitsShared(isShared: boolean): void;
  countDeletionCompleted(erased: number): void;
  countDeletionPostponed(): void;
  render(): Promise<{ text: string; contentType: string }>;
}

/** `deletions` is asked at each scrape. */
export function makeMetrics(deletions: () => Promise<DeletionFigures>, edge: Edge): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "sluice_" });
  const requests = new RequestHistogram(
    "sluice_request_duration_seconds",
    "Requests by operation and status, from the first byte read to the reply handed over.",
  );
  registry.registerMetric(requests.asMetric());
  const records = new Counter({
    name: "sluice_records_written_total",
    help: "Changes stored, by record type.",
    labelNames: ["resource_type"],
    registers,
  });
  const countsByType = new Map<string, Counter.Internal>();
  const groupSeconds = new Histogram({
    name: "sluice_group_commit_duration_seconds",
    help: "Time that a group of writes took, up to its commit on stable storage.",
    buckets: [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
    registers,
  });
  const groupWrites = new Histogram({
    name: "sluice_group_commit_writes",
    help: "Writes that shared one commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
    registers,
  });
  const completed = new Counter({
    name: "sluice_deletions_completed_total",
    help: "Deletions completed by this process.",
    registers,
  });
  const erased = new Counter({
    name: "sluice_records_erased_total",
    help: "Records erased by this process.",
    registers,
  });
  const postponed = new Counter({
    name: "sluice_deletion_failures_total",
    help: "Attempts at a deletion that failed and will be made again.",
    registers,
  });
  const rateLimits = registerRateLimits(registers);
  registerDeletionGauges(registry, deletions);
  registerConnections(registry, edge);
  return {
    observeRequest: (operation, status, seconds) => requests.observe(operation, status, seconds),
    countRecords: (resourceType, count) => {
      // Found once for each type: looking its labels up would cost more than all else that counts a request.
      let counted = countsByType.get(resourceType);
      if (counted === undefined) {
        counted = records.labels(resourceType);
        countsByType.set(resourceType, counted);
      }
      counted.inc(count);
    },
    observeGroup: ({ writes, seconds }) => {
      groupSeconds.observe(seconds);
      groupWrites.observe(writes);
    },
    ...rateLimits,
    countDeletionCompleted: (count) => {
      completed.inc();
      erased.inc(count);
    },
    countDeletionPostponed: () => postponed.inc(),
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  };
}

type RateLimitMetrics = Pick<Metrics, "countRateLimited" | "countedAlone" | "rateLimitsShared">;

function registerRateLimits(registers: Registry[]): RateLimitMetrics {
  const limited = new Counter({
    name: "sluice_rate_limited_total",
    help: "Requests answered 429, by limit.",
    labelNames: ["limit"],
    registers,
  });
  const shared = new Gauge({
    name: "sluice_rate_limits_shared",
    help: "1 while rate limits are shared with other processes, 0 while this one counts alone.",
    registers,
  });
  const alone = new Counter({
    name: "sluice_rate_limit_fallbacks_total",
    help: "Requests that this process counted alone since Redis did not answer in time.",
    registers,
  });
  return {
    countRateLimited: (limit) => limited.inc({ limit }),
    countedAlone: () => alone.inc(),
    rateLimitsShared: (isShared) => shared.set(isShared ? 1 : 0),
  };
}

function registerDeletionGauges(registry: Registry, figures: () => Promise<DeletionFigures>): void {
  const registers = [registry];
  const byState = new Gauge({
    name: "sluice_deletions",
    help: "Deletion requests by status.",
    labelNames: ["status"],
    registers,
    async collect() {
      const { byStatus, held: waiting, oldestDueAt } = await figures();
      for (const status of deletionStatuses) byState.set({ status }, byStatus[status]);
      held.set(waiting);
      oldest.set(oldestDueAt === undefined ? 0 : Math.max(0, Date.now() - oldestDueAt) / 1_000);
    },
  });
  const held = new Gauge({
    name: "sluice_deletions_held",
    help: "Open deletions that wait for the release of a legal hold.",
    registers,
  });
  const oldest = new Gauge({
    name: "sluice_deletion_oldest_due_age_seconds",
    help: "How long the oldest open deletion has been due.",
    registers,
  });
}
