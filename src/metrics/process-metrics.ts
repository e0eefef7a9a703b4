// Metrics of the process and of this thread: CPU, memory, open files, event loop, garbage collection. All are read at each
// snapshot, except garbage collections, which are observed as they happen.

import { readdirSync, readFileSync } from "node:fs";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { watchEventLoopDelay } from "./event-loop-delay.ts";
import type { Registry } from "./registry.ts";

/** Returns a function that ends the measurements in the background. */
export function registerProcess(registry: Registry): () => void {
  registerCpu(registry);
  registerMemory(registry);
  // Linux alone has /proc.
  if (process.platform === "linux") registerOpenFiles(registry);
  const stops = [registerEventLoop(registry), registerCollections(registry)];
  return () => {
    for (const stop of stops) stop();
  };
}

function registerCpu(registry: Registry): void {
  const seconds = { name: "sluice_process_cpu_seconds_total", help: "User and system CPU time." };
  const user = { name: "sluice_process_cpu_user_seconds_total", help: "User CPU time." };
  const system = { name: "sluice_process_cpu_system_seconds_total", help: "System CPU time." };
  const started = {
    name: "sluice_process_start_time_seconds",
    help: "When the process started, as Unix time.",
  };
  const startedAt = Math.round(Date.now() - process.uptime() * 1_000) / 1_000;
  let used = process.cpuUsage();
  registry.onSnapshot(() => (used = process.cpuUsage()));
  registry.observe("counter", seconds, () => (used.user + used.system) / 1e6);
  registry.observe("counter", user, () => used.user / 1e6);
  registry.observe("counter", system, () => used.system / 1e6);
  registry.observe("gauge", started, () => startedAt);
}

function registerMemory(registry: Registry): void {
  const resident = { name: "sluice_process_resident_memory_bytes", help: "Resident memory." };
  const total = {
    name: "sluice_nodejs_heap_size_total_bytes",
    help: "Size of the JavaScript heaps.",
  };
  const used = { name: "sluice_nodejs_heap_size_used_bytes", help: "How much of them is used." };
  const external = {
    name: "sluice_nodejs_external_memory_bytes",
    help: "Memory of objects outside the heaps.",
  };
  let memory = process.memoryUsage();
  // The last values remain where no descriptor is free.
  registry.onSnapshot(() => (memory = readMemory() ?? memory));
  registry.observe("gauge", resident, () => memory.rss);
  registry.observe("gauge", total, () => memory.heapTotal);
  registry.observe("gauge", used, () => memory.heapUsed);
  registry.observe("gauge", external, () => memory.external);
}

function readMemory(): NodeJS.MemoryUsage | undefined {
  try {
    return process.memoryUsage();
  } catch {
    return undefined;
  }
}

function registerOpenFiles(registry: Registry): void {
  const open = { name: "sluice_process_open_fds", help: "Open file descriptors." };
  const max = { name: "sluice_process_max_fds", help: "Most file descriptors that may be open." };
  let files = { open: 0, max: 0 };
  // The last values remain where no descriptor is free, and where there is no /proc.
  registry.onSnapshot(() => (files = readOpenFiles() ?? files));
  registry.observe("gauge", open, () => files.open);
  registry.observe("gauge", max, () => files.max);
}

function readOpenFiles(): { readonly open: number; readonly max: number } | undefined {
  try {
    // Reading the folder opens a descriptor itself.
    const open = readdirSync("/proc/self/fd").length - 1;
    const limits = readFileSync("/proc/self/limits", "latin1");
    return { open, max: Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 0) };
  } catch {
    return undefined;
  }
}

const delayWindowMs = 10_000;

function registerEventLoop(registry: Registry): () => void {
  const p99 = {
    name: "sluice_nodejs_eventloop_lag_p99_seconds",
    help: "Delay of the event loop over the last 10 to 20 seconds, 99th percentile.",
  };
  const max = {
    name: "sluice_nodejs_eventloop_lag_max_seconds",
    help: "Delay of the event loop over the last 10 to 20 seconds, the longest.",
  };
  const delay = watchEventLoopDelay(delayWindowMs);
  registry.observe("gauge", p99, () => delay.figures().p99Seconds);
  registry.observe("gauge", max, () => delay.figures().maxSeconds);
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
