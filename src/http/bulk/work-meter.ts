// Measures the cost of a task: items, bytes, and the processor time of this thread while the task runs.

import type { Work } from "../load/work-tokens.ts";

export class WorkMeter {
  #items = 0;
  #bytes = 0;
  #processorMs = 0;

  run<Result>(work: () => Result): Result {
    const before = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      this.#processorMs += (user + system) / 1_000;
    }
  }

  count(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
  }

  take(): Work {
    const work = { items: this.#items, bytes: this.#bytes, processorMs: this.#processorMs };
    this.#items = 0;
    this.#bytes = 0;
    this.#processorMs = 0;
    return work;
  }
}
