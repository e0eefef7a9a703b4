// Metrics of the process and of this thread: CPU, memory, open files, event loop. All are read at each snapshot.

import { readdirSync, readFileSync } from "node:fs";
import { linesLost } from "../log.ts";
import { watchEventLoopDelay } from "./event-loop-delay.ts";
import type { Registry } from "./registry.ts";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";

/** Returns a function that ends the measurements in the background. */
export function registerProcess(registry: Registry): () => void {
  registerCpu(registry);
  registerMemory(registry);
  registerLog(registry);
  // Only Linux has /proc.
  if (process.platform === "linux") registerOpenFiles(registry);
  return registerEventLoop(registry);
}

function registerCpu(registry: Registry): void {
  const startedAt = Math.round(Date.now() - process.uptime() * 1_000) / 1_000;
  let used = process.cpuUsage();
  registry.onSnapshot(() => (used = process.cpuUsage()));
  registry.observe("counter", {
    sluice_process_cpu_seconds_total: [
      "User and system CPU time.",
      () => (used.user + used.system) / 1e6,
    ],
  });
  const help = "When the process started, as Unix time.";
  registry.observe("gauge", { sluice_process_start_time_seconds: [help, () => startedAt] });
}

function registerMemory(registry: Registry): void {
  let memory = process.memoryUsage();
  // The last values remain if no descriptor is free.
  registry.onSnapshot(() => (memory = readMemory() ?? memory));
  registry.observe("gauge", {
    sluice_process_resident_memory_bytes: ["Resident memory.", () => memory.rss],
    sluice_nodejs_heap_size_used_bytes: [
      "Used part of the JavaScript heaps.",
      () => memory.heapUsed,
    ],
  });
}

function registerLog(registry: Registry): void {
  const help = "Lines of the log that could not be written to standard error.";
  registry.observe("counter", { sluice_log_lines_lost_total: [help, linesLost] });
}

/** Undefined if no descriptor is free. */
export function readMemory(): NodeJS.MemoryUsage | undefined {
  try {
    return process.memoryUsage();
  } catch {
    return undefined;
  }
}

function registerOpenFiles(registry: Registry): void {
  let files = { open: 0, max: 0 };
  // The last values remain if no descriptor is free, or there is no /proc.
  registry.onSnapshot(() => (files = readOpenFiles() ?? files));
  registry.observe("gauge", {
    sluice_process_open_fds: ["Open file descriptors.", () => files.open],
    sluice_process_max_fds: ["Most file descriptors that may be open.", () => files.max],
  });
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
  const delay = watchEventLoopDelay(delayWindowMs);
  registry.observe("gauge", {
    sluice_nodejs_eventloop_lag_p99_seconds: [
      "Delay of the event loop over the last 10 to 20 seconds, 99th percentile.",
      () => delay.figures().p99Seconds,
    ],
    sluice_nodejs_eventloop_lag_max_seconds: [
      "Delay of the event loop over the last 10 to 20 seconds, the longest.",
      () => delay.figures().maxSeconds,
    ],
  });
  return () => delay.stop();
}

/** How many files are read; a store has only a few. */
const filesMax = 1_000;

export function registerDataFolder(registry: Registry, folder: string): void {
  let figures = { size: 0, free: 0, total: 0 };
  // The last values remain if no descriptor is free.
  registry.onSnapshot(async () => (figures = await readFigures(folder).catch(() => figures)));
  registry.observe("gauge", {
    sluice_data_folder_bytes: ["Size of the files in DATA_DIR.", () => figures.size],
    sluice_data_filesystem_free_bytes: [
      "Free space of the file system of DATA_DIR.",
      () => figures.free,
    ],
    sluice_data_filesystem_size_bytes: [
      "Size of the file system of DATA_DIR.",
      () => figures.total,
    ],
  });
}

async function readFigures(folder: string) {
  const { bavail, blocks, bsize } = await statfs(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).slice(0, filesMax);
  let size = 0;
  for (const { parentPath, name } of files) {
    // A file may be removed meanwhile.
    size += (await stat(join(parentPath, name)).catch(() => undefined))?.size ?? 0;
  }
  return { size, free: bavail * bsize, total: blocks * bsize };
}
