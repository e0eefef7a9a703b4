// The progress of an import or export, with its rate and remaining time: a line that changes in a terminal, otherwise a
// line every few seconds; nothing with --json.

import type { BulkProgress, BulkStep } from "../../bulk/progress.ts";
import type { Context, Output } from "../command.ts";
import { formatCount } from "../../basics/format-count.ts";

export interface BulkProgressOptions {
  readonly json: boolean;
  readonly name: string;
  /** What an earlier run did, which does not count for the rate. */
  readonly before?: Pick<BulkStep, "rows" | "share">;
  readonly nowMs?: () => number;
}

const lineEveryMs = 5_000;
const terminalEveryMs = 100;

export function makeBulkProgress(output: Output, options: BulkProgressOptions): BulkProgress {
  const { json, name, before, nowMs = () => performance.now() } = options;
  if (json) return { show: () => undefined, close: () => undefined };
  const startedAt = nowMs();
  const isLive = output.isTTY === true;
  // In a terminal the line is written again in its place.
  const [begin, end] = isLive ? ["\r\u001b[K", ""] : ["", "\n"];
  let shownAt = isLive ? -Infinity : startedAt;
  return {
    show: (step) => {
      if (nowMs() - shownAt < (isLive ? terminalEveryMs : lineEveryMs)) return;
      shownAt = nowMs();
      const line = describeStep(step, { before, seconds: (nowMs() - startedAt) / 1_000 });
      const text = `${name}: ${line}`;
      output.write(`${begin}${isLive ? text.slice(0, (output.columns ?? 80) - 1) : text}${end}`);
    },
    close: () => void (isLive && output.write(begin)),
  };
}

/** `41%  120,000 rows  38,000 rows/s  12 s left  3 refused`. */
export function describeStep(
  { rows, share, note }: BulkStep,
  { before, seconds }: { before: BulkProgressOptions["before"]; seconds: number },
): string {
  const perSecond = seconds > 0 ? Math.round((rows - (before?.rows ?? 0)) / seconds) : 0;
  const parts = [formatCount(rows, "row"), `${perSecond.toLocaleString("en")} rows/s`];
  if (share !== undefined) {
    parts.unshift(`${Math.floor(share * 100)}%`);
    const done = share - (before?.share ?? 0);
    if (done > 0) parts.push(`${formatSeconds((seconds / done) * (1 - share))} left`);
  }
  if (note !== "") parts.push(note);
  return parts.join("  ");
}

/** `45 s`, `3 min 20 s` or `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

export function printTenths(
  { err, json }: Context,
  what: string,
): (done: number, all: number) => void {
  let printed = 0;
  return (done, all) => {
    const tenth = all === 0 ? 10 : Math.min(10, Math.floor((done / all) * 10));
    if (json || tenth === printed) return;
    printed = tenth;
    err.write(`${what} ${tenth * 10}%\n`);
  };
}
