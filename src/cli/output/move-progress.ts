// The progress of a move: a bar, or lines, for each phase.

import type { MovePhase, MoveStep } from "../../domain/move-step.ts";
import type { BulkProgress } from "../../bulk/progress.ts";
import { makeBulkProgress } from "./bulk-progress.ts";
import type { Context } from "../command.ts";

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
    const { phase, rows, table } = step;
    const share = shareOf(step);
    if (phase !== this.#phase) {
      this.close();
      this.#phase = phase;
      const { err, json } = this.#context;
      const before = { rows: phase === "copy" ? rows : 0, share: phase === "copy" ? share : 0 };
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
    if (this.#copied === undefined) return "Run the same command to continue.";
    const { rows, allRows } = this.#copied;
    return (
      `${rows.toLocaleString("en")} of ${(allRows ?? 0).toLocaleString("en")} rows are copied. Run the same ` +
      "command to continue."
    );
  }
}

function shareOf({ rows, allRows }: MoveStep): number | undefined {
  return allRows === undefined || allRows === 0 ? undefined : Math.min(1, rows / allRows);
}
