// Measures the cost of a task: items, bytes, and the processor time of this thread while the task runs.

import type { Work } from "../load/work-tokens.ts";

const nothing = { items: 0, bytes: 0, processorMs: 0 };

export class WorkMeter {
  #work = { ...nothing };

  run<Result>(work: () => Result): Result {
    const before = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      this.#work.processorMs += (user + system) / 1_000;
    }
  }

  count(items: number, bytes: number): void {
    this.#work.items += items;
    this.#work.bytes += bytes;
  }

  take(): Work {
    const work = this.#work;
    this.#work = { ...nothing };
    return work;
  }
}
