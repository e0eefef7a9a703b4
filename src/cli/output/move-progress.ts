// The progress of a move: a bar, or lines, for each phase.

import type { BulkProgress } from "../../bulk/progress.ts";
import type { MovePhase, MoveStep } from "../../domain/move-step.ts";
import type { Context } from "../command.ts";
import { makeBulkProgress } from "./bulk-progress.ts";

const names: Readonly<Record<MovePhase, string>> = {
  read: "reading",
  copy: "copying",
  verify: "verifying",
};

export class MoveProgress {
  readonly #context: Pick<Context, "err" | "json">;
  readonly #nowMs: () => number;
  #phase: MovePhase | undefined;
  #copied: MoveStep | undefined;
  #shown: BulkProgress | undefined;

  /** `nowMs`: milliseconds of a monotonic clock; for tests. */
  constructor(
    context: Pick<Context, "err" | "json">,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#context = context;
    this.#nowMs = nowMs;
  }

  show(step: MoveStep): void {
    const { phase, rows, allRows, table } = step;
    const share = allRows === undefined || allRows === 0 ? undefined : Math.min(1, rows / allRows);
    if (phase !== this.#phase) {
      this.close();
      this.#phase = phase;
      const { err, json } = this.#context;
      const before = phase === "copy" ? { rows, share } : { rows: 0, share: 0 };
      this.#shown = makeBulkProgress(err, { json, name: names[phase], before, nowMs: this.#nowMs });
    }
    if (phase === "copy") this.#copied = step;
    this.#shown?.show({ rows, share, note: table });
  }

  /** Removes the bar from the screen. */
  close(): void {
    this.#shown?.close();
    this.#shown = undefined;
  }

  /** What remains of a move that ended early. */
  describe(): string {
    const advice = "Run the same command to continue.";
    if (this.#copied === undefined) return advice;
    const { rows, allRows = 0 } = this.#copied;
    return `${rows.toLocaleString("en")} of ${allRows.toLocaleString("en")} rows are copied. ${advice}`;
  }
}
