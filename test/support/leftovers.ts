// Loaded before the tests of each process: ends it, as failed, when nothing happens in it after a test. What a test
// leaves running, such as the server of one that failed, would keep the process until the time for its file is over.

import { afterEach, beforeEach } from "node:test";

/** More than the longest hook between two tests takes on a busy machine. */
const idleMs = 180_000;

/** Not those with which a test replaces them. */
const { setTimeout, clearTimeout } = globalThis;

let waiting: NodeJS.Timeout | undefined;

beforeEach(() => clearTimeout(waiting));

afterEach(() => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const left = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(`No test began, and the process did not end. What keeps it: ${left}\n`);
    process.exit(1);
  }, idleMs).unref();
});
