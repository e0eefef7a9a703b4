// Waits for a condition by polling; the only kind of waiting in tests. The time after which it gives up is long enough
// for a machine that is busy with other work: only what hangs takes as long.

import { setTimeout as sleep } from "node:timers/promises";

const intervalMsMin = 5;
const intervalMsMax = 50;

/**
 * The first value that is neither undefined nor false. Rejects after `timeoutMs`, with the description of the
 * condition. `intervalMs`: by default the longer the wait has taken, the longer.
 */
export async function waitFor<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = 120_000, intervalMs }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Value> {
  const until = performance.now() + timeoutMs;
  for (let looks = 0; ; looks += 1) {
    const beganAt = process.hrtime();
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > until) throw new Error(`waited in vain for ${what}`);
    // A look that takes long, such as a command, must not take all of the time of what it waits for. A test that
    // advances `performance.now` does not advance this clock.
    const [seconds, nanoseconds] = process.hrtime(beganAt);
    const pauseMs = intervalMs ?? Math.min(Math.max(intervalMsMin, looks), intervalMsMax);
    await sleep(Math.max(pauseMs, seconds * 1_000 + nanoseconds / 1_000_000));
  }
}
