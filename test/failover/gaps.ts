// How long a client could not write: the times between its last success before a failure and its next one, by what had
// failed.

import { setTimeout as sleep } from "node:timers/promises";
import { addOne } from "../crash/acts-add.ts";
import type { Sender } from "../crash/sender.ts";

const pauseMs = 50;

export class Gaps {
  readonly #lengthsMs = new Map<string, number[]>();

  /** Adds one record after another. Returns what ends it, which waits for a success. */
  watch(sender: Sender, fault: string): () => Promise<void> {
    const ending = new AbortController();
    let lastSuccess = performance.now();
    const run = async (): Promise<void> => {
      for (let failed = false; !ending.signal.aborted || failed;) {
        sender.cutOff = false;
        await addOne(sender);
        const now = performance.now();
        if (failed && !sender.cutOff) {
          for (const what of [fault, "any fault"]) this.#add(what, now - lastSuccess);
        }
        if (!sender.cutOff) lastSuccess = now;
        failed = sender.cutOff;
        await sleep(pauseMs);
      }
    };
    const running = run();
    return () => {
      ending.abort();
      return running;
    };
  }

  /** Medians and 99th percentiles, in milliseconds. */
  figures(): Readonly<Record<string, number>> {
    const pairs = [...this.#lengthsMs].flatMap(([fault, lengths]) => {
      const sorted = lengths.toSorted((one, other) => one - other);
      const at = (share: number) =>
        Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
      return [
        [`gaps after ${fault}`, lengths.length],
        [`gap after ${fault}, median ms`, at(0.5)],
        [`gap after ${fault}, p99 ms`, at(0.99)],
      ];
    });
    return Object.fromEntries(pairs) as Record<string, number>;
  }

  #add(fault: string, lengthMs: number): void {
    const lengths = this.#lengthsMs.get(fault) ?? [];
    this.#lengthsMs.set(fault, [...lengths, lengthMs]);
  }
}
