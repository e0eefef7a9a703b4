// Runs the test files of a group in one process, one after another: the start of a process, and of the same modules in
// it, takes longer than most of them. Each file is loaded when those before it have ended, as a suite, so that its
// hooks are its own.

import { flushCompileCache } from "node:module";
import { describe, test } from "node:test";

/** After this time, what a test left running, such as the server of one that failed, keeps the process no longer. */
const leftMs = 30_000;

/** The files of each group, as JSON. */
export const filesVariable = "SLUICE_TEST_TOGETHER";

export async function runTogether(group: string): Promise<void> {
  // Some tests wait for timers that keep no process running.
  const running = setInterval(() => undefined, 60_000);
  const groups = JSON.parse(process.env[filesVariable] ?? "{}") as Record<string, string[]>;
  for (const file of groups[group] ?? []) {
    // Only a test can be awaited, and only a suite runs its hooks before its tests.
    await test(file, () => {
      describe(file, async () => {
        await import(file);
      });
    });
    // Now, not only when the process ends: those that start later load most of the same code.
    flushCompileCache();
  }
  clearInterval(running);
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`All tests ended, but not the process. What keeps it: ${left}\n`);
    process.exit(1);
  }, leftMs).unref();
}
