// Separate folders for tests, removed when the test process ends, however it ends. Only under the
// system's folder for temporary files.

import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

process.on("exit", () => {
  for (const folder of made) removeFolder(folder);
});

const memory = "/dev/shm";
const memoryBytesMin = 2 ** 30;

/**
 * From now on folders are in memory, where that is possible: for campaigns of many stores, which do not test that data
 * survives a loss of power and would mostly wait for the disk.
 */
export function preferMemory(): void {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= memoryBytesMin) process.env["TMPDIR"] = memory;
  } catch {
    // There is none on this system; the folders stay on the disk.
  }
}

export function makeTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  made.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  made.delete(folder);
}
