// The figures of the process and of this thread: processor, memory, open files, event loop, garbage collection. Read when
// they are asked for; only garbage collections are counted as they happen.

import { readdirSync, readFileSync } from "node:fs";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { watchEventLoopDelay } from "./event-loop-delay.ts";
import type { Gauge, Registry } from "./registry.ts";

export interface ProcessMetrics {
  stop(): void;
}

export function registerProcess(registry: Registry): ProcessMetrics {
  registerProcessor(registry);
  registerMemory(registry);
  registerOpenFiles(registry);
  const stopDelay = registerEventLoop(registry);
  const stopCollections = registerCollections(registry);
  return {
    stop: () => {
      stopDelay();
      stopCollections();
    },
  };
}

function registerProcessor(registry: Registry): void {
  const shared = { combine: "same" } as const;
  const seconds = registry.counter({
    name: "sluice_process_cpu_seconds_total",
    help: "User and system CPU time.",
    ...shared,
  });
  const user = registry.counter({
    name: "sluice_process_cpu_user_seconds_total",
    help: "User CPU time.",
    ...shared,
  });
  const system = registry.counter({
    name: "sluice_process_cpu_system_seconds_total",
    help: "System CPU time.",
    ...shared,
  });
  const started = registry.gauge({
    name: "sluice_process_start_time_seconds",
    help: "When the process started, as Unix time.",
    ...shared,
  });
  started.set(Math.round(Date.now() - process.uptime() * 1_000) / 1_000);
  registry.onSnapshot(() => {
    const used = process.cpuUsage();
    [user.value, system.value] = [used.user / 1e6, used.system / 1e6];
    seconds.value = (used.user + used.system) / 1e6;
  });
}

function registerMemory(registry: Registry): void {
  const resident = registry.gauge({
    name: "sluice_process_resident_memory_bytes",
    help: "Resident memory.",
    combine: "same",
  });
  const total = registry.gauge({
    name: "sluice_nodejs_heap_size_total_bytes",
    help: "Size of the JavaScript heaps.",
  });
  const used = registry.gauge({
    name: "sluice_nodejs_heap_size_used_bytes",
    help: "How much of them is used.",
  });
  const external = registry.gauge({
    name: "sluice_nodejs_external_memory_bytes",
    help: "Memory of objects outside the heaps.",
  });
  registry.onSnapshot(() => {
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    total.set(memory.heapTotal);
    used.set(memory.heapUsed);
    external.set(memory.external);
  });
}

/** Only where the system tells (Linux). */
function registerOpenFiles(registry: Registry): void {
  if (process.platform !== "linux") return;
  const [open, max] = [
    registry.gauge({
      name: "sluice_process_open_fds",
      help: "Open file descriptors.",
      combine: "same",
    }),
    registry.gauge({
      name: "sluice_process_max_fds",
      help: "Most file descriptors that may be open.",
      combine: "same",
    }),
  ];
  registry.onSnapshot(() => readOpenFiles(open, max));
}

function readOpenFiles(open: Gauge, max: Gauge): void {
  try {
    // Reading the folder opens a descriptor itself.
    open.set(readdirSync("/proc/self/fd").length - 1);
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
    max.set(Number(limit ?? 0));
  } catch {
    // Without a descriptor left, or /proc, the last figures stand.
  }
}

const delayWindowMs = 10_000;

function registerEventLoop(registry: Registry): () => void {
  const options = { combine: "max" } as const;
  const p99 = registry.gauge({
    name: "sluice_nodejs_eventloop_lag_p99_seconds",
    help: "Delay of the event loop over the last 10 to 20 seconds, 99th percentile.",
    ...options,
  });
  const max = registry.gauge({
    name: "sluice_nodejs_eventloop_lag_max_seconds",
    help: "Delay of the event loop over the last 10 to 20 seconds, the longest.",
    ...options,
  });
  const delay = watchEventLoopDelay(delayWindowMs);
  registry.onSnapshot(() => {
    const { p99Seconds, maxSeconds } = delay.figures();
    p99.set(p99Seconds);
    max.set(maxSeconds);
  });
  return () => delay.stop();
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

function registerCollections(registry: Registry): () => void {
  const durations = registry.histograms({
    name: "sluice_nodejs_gc_duration_seconds",
    help: "Garbage collections, by kind.",
    labels: ["kind"],
    buckets: [0.001, 0.01, 0.1, 1, 2, 5],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as { detail?: { kind?: unknown } };
      durations.with(kinds.get(detail?.kind) ?? "other").observe(entry.duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}
