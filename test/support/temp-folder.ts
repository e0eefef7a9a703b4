// Separate folders for tests, removed when the test process ends, however it ends. Only under the
// system's folder for temporary files.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

process.on("exit", () => {
  for (const folder of made) removeFolder(folder);
});

export function makeTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  made.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  made.delete(folder);
}
