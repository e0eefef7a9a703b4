// Watches the clock for a process that serves, and reports when it is no longer trusted, and when it is again.

import type { App } from "../actions/app.ts";
import { type ClockState, type TrustedClock, watchClock } from "../actions/upkeep/clock.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics/metrics.ts";

export interface ClockParts {
  readonly app: App;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, "clockTrusted">;
  /** Milliseconds of a clock that nobody can set. */
  readonly monotonic: () => number;
}

export function openClock(parts: ClockParts): TrustedClock {
  parts.metrics.clockTrusted.set(1);
  const { app, monotonic } = parts;
  return watchClock(app, { monotonic, onChange: (state) => report(parts, state) });
}

function report({ log, metrics }: ClockParts, { isTrusted, now, known }: ClockState): void {
  metrics.clockTrusted.set(isTrusted ? 1 : 0);
  const times = { clock: timeOf(now), last_known: timeOf(known) };
  if (isTrusted) log.info(times, "the clock is trusted again; deletions and retention continue");
  else {
    log.error(
      times,
      "the clock has jumped, or nothing ran for long: deletions and the ends of retention and of holds are paused; compare " +
        "the clock with another one, and run: sluice clock confirm",
    );
  }
}

function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
