// The metrics of the service, as Prometheus text. A test compares docs/reference/metrics.md with them.

import type { SharedBounds } from "../http/connection/shared-bounds.ts";
import type { LoadShedding } from "../http/load/load-shedding.ts";
import type { DeletionFigures } from "../store/interface/deletion.ts";
import { readMemory, registerDataFolder, registerProcess } from "./process-metrics.ts";
import type { IntakeTotals } from "./history.ts";
import { metricsContentType, Registry, renderSnapshot } from "./registry.ts";
import type { StoredFigures } from "./stored-figures.ts";

export type Metrics = ReturnType<typeof makeMetrics>;
export type ProcessFigures = ReturnType<Metrics["processFigures"]>;

/** Everything but the build is read at each snapshot. */
interface MetricSources extends StoredFigures {
  /** What runs, with the version of Node; the same for the life of the process. */
  readonly build: {
    readonly version: string;
    readonly node: string;
    readonly engine: "sqlite" | "postgres";
  };
  readonly dataDir: string;
  readonly sharedBounds: SharedBounds;
  readonly load: {
    readonly bodies: { readonly heldBytes: number };
    readonly pages: { readonly heldBytes: number };
    readonly shedding: Pick<LoadShedding, "eventLoopDelayMs" | "levels" | "refused">;
  };
}

export function makeMetrics(sources: MetricSources) {
  const { build, dataDir, sharedBounds, load } = sources;
  const registry = new Registry();
  registry.info(
    {
      name: "sluice_build_info",
      help: "Always 1; the labels are the versions of Sluice and Node, and the engine of the store.",
    },
    { version: build.version, node: build.node, engine: build.engine },
  );
  const counted = { ...registerCounted(registry), ...registerSecurity(registry) };
  registerStoredDeletions(registry, sources.deletions);
  registerHolds(registry, sources.holdsEnding);
  registerDataFolder(registry, dataDir);
  registerConnections(registry, sharedBounds);
  registerLoad(registry, load);
  return {
    ...counted,
    /** For metrics of features. */
    registry,
    /** The source of the console's history. */
    intakeTotals: (): IntakeTotals => ({
      records: counted.records.snapshot().series,
      requests: counted.requests.snapshot().series,
      buckets: requestBuckets,
    }),
    /** What the console shows of this process. A snapshot would also count in the store, and read the data folder. */
    processFigures: () => ({
      eventLoopDelayMs: load.shedding.eventLoopDelayMs,
      memoryBytes: readMemory()?.rss,
      bodyBytes: load.bodies.heldBytes,
      connections: sharedBounds.connections.count,
      refused: Object.values(load.shedding.refused).reduce((sum, count) => sum + count, 0),
    }),
    render: async () => ({
      text: renderSnapshot(await registry.snapshot()),
      contentType: metricsContentType,
    }),
    stop: registerProcess(registry),
  };
}

const requestBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

function registerCounted(registry: Registry) {
  return {
    requests: registry.histograms({
      name: "sluice_request_duration_seconds",
      help: "Requests by operation and status, from the first byte read to the reply handed over; none on confidential types.",
      labels: ["operation", "status"],
      buckets: requestBuckets,
    }),
    records: registry.counters({
      name: "sluice_records_written_total",
      help: "Changes stored, by record type; none of confidential types.",
      labels: ["resource_type"],
    }),
    groupSeconds: registry.histogram({
      name: "sluice_group_commit_duration_seconds",
      help: "Time that a group of writes took, up to its commit on stable storage.",
      buckets: [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
    }),
    groupWrites: registry.histogram({
      name: "sluice_group_commit_writes",
      help: "Writes that shared one commit.",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
    }),
    rateLimited: registry.counters({
      name: "sluice_rate_limited_total",
      help: "Requests answered 429, by limit.",
      labels: ["limit"],
    }),
    clockTrusted: registry.gauge({
      name: "sluice_clock_trusted",
      help: "0 while deletions and the ends of retention are paused because the clock has jumped, otherwise 1.",
    }),
    deletionsCompleted: registry.counter({
      name: "sluice_deletions_completed_total",
      help: "Deletions completed by this process.",
    }),
    recordsErased: registry.counter({
      name: "sluice_records_erased_total",
      help: "Records erased by this process, without confidential types.",
    }),
    deletionsPostponed: registry.counter({
      name: "sluice_deletion_failures_total",
      help: "Attempts at a deletion that failed and will be made again, without those that wait for a reader.",
    }),
  };
}

function registerSecurity(registry: Registry) {
  return {
    failedAuthentications: registry.counters({
      name: "sluice_authentication_failures_total",
      help: "Credentials that were missing or wrong, and failed sign-ins, by what was to be reached.",
      labels: ["where"],
    }),
    rightsRefused: registry.counters({
      name: "sluice_rights_refused_total",
      help: "Requests for which a caller lacked a scope, or an operator a right; none on confidential types.",
      labels: ["where"],
    }),
  };
}

function registerStoredDeletions(registry: Registry, read: StoredFigures["deletions"]): void {
  let figures: DeletionFigures | undefined;
  registry.onSnapshot(async () => (figures = await read()));
  registry.observe("gauge", {
    sluice_deletions: [
      "Deletion requests of open organizations by status.",
      () => figures?.byStatus,
      "status",
    ],
    sluice_deletions_held: [
      "Open deletions of open organizations that wait for the release of a legal hold.",
      () => figures?.held,
    ],
    sluice_deletions_under_floor: [
      "Open deletions of open organizations that wait for the end of a retention floor.",
      () => figures?.underFloor,
    ],
    sluice_deletion_oldest_due_age_seconds: [
      "How long the oldest open deletion without a legal hold or retention floor has been due.",
      () => figures && secondsSince(figures.oldestDueAt),
    ],
    sluice_deletion_oldest_processing_age_seconds: [
      "For how long the oldest deletion without a legal hold or retention floor has been processing.",
      () => figures && secondsSince(figures.oldestStartedAt),
    ],
  });
}

/** 0 if there is no such time. */
export function secondsSince(at: number | undefined): number {
  return Math.max(0, Date.now() - (at ?? Infinity)) / 1_000;
}

function registerHolds(registry: Registry, read: StoredFigures["holdsEnding"]): void {
  let ending = 0;
  registry.onSnapshot(async () => (ending = await read()));
  registry.observe("gauge", {
    sluice_holds_ending: [
      "Legal holds that end by themselves within 30 days, without those on confidential records.",
      () => ending,
    ],
  });
}

function registerConnections(
  registry: Registry,
  { connections, turns, replies }: SharedBounds,
): void {
  registry.observe("gauge", {
    sluice_connections: ["Open connections.", () => connections.count],
    sluice_requests_waiting: [
      "Connections with bytes that wait for the reply to a request or for the reader of a chunked body.",
      () => turns.waiting,
    ],
    sluice_unparsed_bytes: [
      "Bytes that wait on these connections, not parsed yet.",
      () => turns.bytes,
    ],
    sluice_reply_queue_bytes: [
      "Bytes of replies that clients have not read yet.",
      () => replies.bytes,
    ],
  });
  const closed = () => ({
    refused: connections.refused,
    idle: connections.evicted,
    pipelined: turns.refused,
    unread: replies.refused,
  });
  const help = "Connections that were closed to keep within bounds, by reason.";
  registry.observe("counter", { sluice_connections_closed_total: [help, closed, "reason"] });
}

function registerLoad(
  registry: Registry,
  { bodies, pages, shedding }: MetricSources["load"],
): void {
  registry.observe("gauge", {
    sluice_held_body_bytes: [
      "Bytes of large bodies in memory, or for which memory is reserved.",
      () => bodies.heldBytes,
    ],
    sluice_held_page_bytes: [
      "Bytes reserved for pages of replies that are being read.",
      () => pages.heldBytes,
    ],
    sluice_event_loop_delay_seconds: [
      "Delay of the event loop over the last quarter to half of a second, 99th percentile.",
      () => shedding.eventLoopDelayMs / 1_000,
    ],
    sluice_pressure: [
      "Pressure on the process by cause: 0 none, 1 the largest new work is refused, 2 all large new work.",
      () => shedding.levels,
      "cause",
    ],
  });
  const help = "New large bodies and streams that were answered 503 under pressure, by kind.";
  registry.observe("counter", {
    sluice_load_shed_total: [help, () => shedding.refused, "kind"],
  });
}
