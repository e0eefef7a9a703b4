// The metrics of the service, as Prometheus text. A test compares docs/reference/metrics.md with them.

import type { Edge } from "../http/connection/shared-bounds.ts";
import type { LoadSheddingFigures } from "../http/load/load-shedding.ts";
import type { DeletionFigures, GroupFigures } from "../store/interface/store.ts";
import { registerDataFolder } from "./data-folder-metrics.ts";
import { registerProcess } from "./process-metrics.ts";
import { Registry } from "./registry.ts";
import type { IntakeTotals } from "./history.ts";
import { metricsContentType, renderSnapshot, type Snapshot } from "./snapshot.ts";

export interface Metrics {
  observeRequest(operation: string, status: number, seconds: number): void;
  countRecords(resourceType: string, count: number): void;
  observeGroup(figures: GroupFigures): void;
  countRateLimited(policy: string): void;
  countedAlone(): void;
  rateLimitsShared(isShared: boolean): void;
  countDeletionCompleted(erased: number): void;
  countDeletionPostponed(): void;
  /** Spans that were not exported. `queue`: too many were waiting; `export`: the receiver did not accept them. */
  countSpansDropped(count: number, reason: "queue" | "export"): void;
  countExportFailure(): void;
  /** What the history of the console is made from. */
  intakeTotals(): IntakeTotals;
  /** All metrics as plain data. */
  snapshot(): Promise<Snapshot>;
  render(): Promise<{ text: string; contentType: string }>;
  /** Ends the measurements in the background. */
  stop(): void;
}

/** What runs; the same for the life of the process. */
export interface Build {
  readonly version: string;
  /** The version of Node. */
  readonly node: string;
  readonly engine: "sqlite" | "postgres";
}

/** Everything but the build is read at each snapshot. */
interface MetricSources {
  readonly build: Build;
  readonly deletions: () => Promise<DeletionFigures>;
  readonly dataDir: string;
  readonly edge: Edge;
  readonly load: {
    readonly bodies: { readonly heldBytes: number };
    readonly shedding: { readonly figures: LoadSheddingFigures };
  };
}

export function makeMetrics(sources: MetricSources): Metrics {
  const { build, deletions, dataDir, edge, load } = sources;
  const registry = new Registry();
  registry.info(
    {
      name: "sluice_build_info",
      help: "Always 1; the labels are the versions of Sluice and Node, and the engine of the store.",
    },
    { version: build.version, node: build.node, engine: build.engine },
  );
  const counted = {
    ...registerIntake(registry),
    ...registerWrites(registry),
    ...registerRateLimits(registry),
    ...registerDeletions(registry),
    ...registerTelemetry(registry),
  };
  registerStoredDeletions(registry, deletions);
  registerDataFolder(registry, dataDir);
  registerConnections(registry, edge);
  registerLoad(registry, load);
  const stop = registerProcess(registry);
  return {
    ...counted,
    snapshot: () => registry.snapshot(),
    render: async () => ({
      text: renderSnapshot(await registry.snapshot()),
      contentType: metricsContentType,
    }),
    stop,
  };
}

const requestBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

function registerIntake(
  registry: Registry,
): Pick<Metrics, "observeRequest" | "countRecords" | "intakeTotals"> {
  const { requests, ...observing } = registerRequests(registry);
  const { records, ...counting } = registerRecords(registry);
  return {
    ...observing,
    ...counting,
    intakeTotals: () => ({
      records: records.snapshot().series,
      requests: requests.snapshot().series,
      buckets: requestBuckets,
    }),
  };
}

function registerRequests(registry: Registry) {
  const requests = registry.histograms({
    name: "sluice_request_duration_seconds",
    help: "Requests by operation and status, from the first byte read to the reply handed over; none on confidential types.",
    labels: ["operation", "status"],
    buckets: requestBuckets,
  });
  const observeRequest: Metrics["observeRequest"] = (operation, status, seconds) =>
    requests.with(operation, status).observe(seconds);
  return { requests, observeRequest };
}

function registerRecords(registry: Registry) {
  const records = registry.counters({
    name: "sluice_records_written_total",
    help: "Changes stored, by record type; none of confidential types.",
    labels: ["resource_type"],
  });
  const countRecords: Metrics["countRecords"] = (resourceType, count) =>
    records.with(resourceType).add(count);
  return { records, countRecords };
}

function registerWrites(registry: Registry): Pick<Metrics, "observeGroup"> {
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
    observeGroup: ({ writes, seconds }) => {
      groupSeconds.observe(seconds);
      groupWrites.observe(writes);
    },
  };
}

function registerRateLimits(
  registry: Registry,
): Pick<Metrics, "countRateLimited" | "countedAlone" | "rateLimitsShared"> {
  const limited = registry.counters({
    name: "sluice_rate_limited_total",
    help: "Requests answered 429, by limit.",
    labels: ["limit"],
  });
  const shared = registry.gauge({
    name: "sluice_rate_limits_shared",
    help: "1 while rate limits are shared with other processes, 0 while this one counts alone.",
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

function registerDeletions(
  registry: Registry,
): Pick<Metrics, "countDeletionCompleted" | "countDeletionPostponed"> {
  const completed = registry.counter({
    name: "sluice_deletions_completed_total",
    help: "Deletions completed by this process.",
  });
  const erased = registry.counter({
    name: "sluice_records_erased_total",
    help: "Records erased by this process, without confidential types.",
  });
  const postponed = registry.counter({
    name: "sluice_deletion_failures_total",
    help: "Attempts at a deletion that failed and will be made again, without those that wait for a reader.",
  });
  return {
    countDeletionCompleted: (count) => {
      completed.add();
      erased.add(count);
    },
    countDeletionPostponed: () => postponed.add(),
  };
}

function registerTelemetry(
  registry: Registry,
): Pick<Metrics, "countSpansDropped" | "countExportFailure"> {
  const dropped = registry.counters({
    name: "sluice_spans_dropped_total",
    help: "Spans that were not exported, by reason.",
    labels: ["reason"],
  });
  const failed = registry.counter({
    name: "sluice_telemetry_export_failures_total",
    help: "Exports of spans over OTLP that the receiver did not accept.",
  });
  return {
    countSpansDropped: (count, reason) => dropped.with(reason).add(count),
    countExportFailure: () => failed.add(),
  };
}

function registerStoredDeletions(registry: Registry, read: () => Promise<DeletionFigures>): void {
  const byStatus = {
    name: "sluice_deletions",
    help: "Deletion requests of open organizations by status.",
    labels: ["status"],
  };
  const held = {
    name: "sluice_deletions_held",
    help: "Open deletions of open organizations that wait for the release of a legal hold.",
  };
  const underFloor = {
    name: "sluice_deletions_under_floor",
    help: "Open deletions of open organizations that wait for the end of a retention floor.",
  };
  const oldest = {
    name: "sluice_deletion_oldest_due_age_seconds",
    help: "How long the oldest open deletion without a legal hold or retention floor has been due.",
  };
  let figures: Partial<DeletionFigures> = {};
  registry.onSnapshot(async () => (figures = await read()));
  registry.observe("gauge", byStatus, () => figures.byStatus ?? {});
  registry.observe("gauge", held, () => figures.held ?? 0);
  registry.observe("gauge", underFloor, () => figures.underFloor ?? 0);
  registry.observe("gauge", oldest, () => {
    const { oldestDueAt } = figures;
    return oldestDueAt === undefined ? 0 : Math.max(0, Date.now() - oldestDueAt) / 1_000;
  });
}

function registerConnections(registry: Registry, { connections, pipelines, replies }: Edge): void {
  const open = { name: "sluice_connections", help: "Open connections." };
  const waiting = {
    name: "sluice_requests_waiting",
    help: "Requests that wait for the reply to an earlier one on their connection.",
  };
  const unparsed = {
    name: "sluice_unparsed_bytes",
    help: "Bytes received after these requests that are not parsed yet.",
  };
  const queued = {
    name: "sluice_reply_queue_bytes",
    help: "Bytes of replies that clients have not read yet.",
  };
  const closed = {
    name: "sluice_connections_closed_total",
    help: "Connections that were closed to keep within bounds, by reason.",
    labels: ["reason"],
  };
  registry.observe("gauge", open, () => connections.count);
  registry.observe("gauge", waiting, () => pipelines.waiting);
  registry.observe("gauge", unparsed, () => pipelines.bytes);
  registry.observe("gauge", queued, () => replies.bytes);
  registry.observe("counter", closed, () => ({
    refused: connections.refused,
    idle: connections.evicted,
    pipelined: pipelines.refused,
    unread: replies.refused,
  }));
}

const severity = { none: 0, high: 1, critical: 2 } as const;

function registerLoad(registry: Registry, { bodies, shedding }: MetricSources["load"]): void {
  const held = {
    name: "sluice_held_body_bytes",
    help: "Bytes of large bodies in memory, or for which memory is reserved.",
  };
  const delay = {
    name: "sluice_event_loop_delay_seconds",
    help: "Delay of the event loop over the last quarter to half of a second, 99th percentile.",
  };
  const pressure = {
    name: "sluice_pressure",
    help: "Pressure on the process by cause: 0 none, 1 the largest new work is refused, 2 all large new work.",
    labels: ["cause"],
  };
  const refused = {
    name: "sluice_load_shed_total",
    help: "New large bodies and streams that were answered 503 under pressure, by kind.",
    labels: ["kind"],
  };
  const seconds = () => shedding.figures.eventLoopDelayMs / 1_000;
  registry.observe("gauge", held, () => bodies.heldBytes);
  registry.observe("gauge", delay, seconds);
  registry.observe("gauge", pressure, () => {
    const { event_loop: eventLoop, memory, bodies: bytes } = shedding.figures.levels;
    return { event_loop: severity[eventLoop], memory: severity[memory], bodies: severity[bytes] };
  });
  registry.observe("counter", refused, () => ({ ...shedding.figures.refused }));
}
