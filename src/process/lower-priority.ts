// A lower priority for threads that work on large inputs.

import { setPriority } from "node:os";

/** On Linux each thread has its own priority; threads for which single requests wait have 0. */
const niceness = 5;

export function lowerPriority(): void {
  try {
    setPriority(niceness);
  } catch {
    // A sandbox may forbid it; then all threads have the same priority.
  }
}
