// The progress of an import or export, with its rate and remaining time: a bar on a terminal, otherwise a line every
// few seconds; nothing with --json.

import { createRequire } from "node:module";
import { WriteStream } from "node:tty";
import type { SingleBar } from "cli-progress";
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
const barParts = 1_000;
const require = createRequire(import.meta.url);

export function makeBulkProgress(output: Output, options: BulkProgressOptions): BulkProgress {
  const { json, name, before, nowMs = () => performance.now() } = options;
  if (json) return { show: () => undefined, close: () => undefined };
  const startedAt = nowMs();
  const describe = (step: BulkStep): string =>
    describeStep(step, { before, seconds: (nowMs() - startedAt) / 1_000 });
  if (output instanceof WriteStream && output.isTTY) return makeBar(output, name, describe);
  let shownAt = startedAt;
  return {
    show: (step) => {
      if (nowMs() - shownAt < lineEveryMs) return;
      shownAt = nowMs();
      output.write(`${name}: ${describe(step)}\n`);
    },
    close: () => undefined,
  };
}

function makeBar(
  stream: WriteStream,
  name: string,
  describe: (step: BulkStep) => string,
): BulkProgress {
  const barOptions = {
    stream,
    barsize: 24,
    hideCursor: true,
    gracefulExit: false,
    clearOnComplete: true,
  };
  // The library is loaded only if the bar is shown.
  const library = require("cli-progress") as typeof import("cli-progress");
  let bar: SingleBar | undefined;
  return {
    show: (step) => {
      const line = describe(step);
      const value = Math.round((step.share ?? 0) * barParts);
      if (bar === undefined) {
        const format = step.share === undefined ? `${name}  {line}` : `${name} {bar} {line}`;
        bar = new library.SingleBar({ ...barOptions, format }, library.Presets.shades_classic);
        bar.start(barParts, value, { line });
      } else {
        // At its maximum the bar would stop itself.
        bar.update(Math.min(value, barParts - 1), { line });
      }
    },
    close: () => {
      bar?.stop();
      bar = undefined;
    },
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
