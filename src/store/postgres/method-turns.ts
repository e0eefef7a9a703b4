// Methods of the store run at most as many transactions at a time as there are connections, and organizations take
// turns: however many requests of one wait, a request of another, a group of writes and the worker wait for few. The
// pool by itself serves in the order of arrival.

import { FairQueue } from "../../basics/fair-queue.ts";
import { unavailable } from "../../domain/error.ts";
import type { Visibility } from "../sql/statement/visibility.ts";
import { connectTimeoutMs } from "./settings.ts";

export class MethodTurns {
  #free: number;
  readonly #waiting = new FairQueue<() => void>();

  constructor(connections: number) {
    this.#free = connections;
  }

  /** Rejects like `work`, and with AppError unavailable if there was no turn for as long as a connection may take. */
  async run<Result>(visibility: Visibility, work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(visibility);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #turn({ organizations = [], view }: Visibility): Promise<void> {
    const [owner = view ?? ""] = organizations;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const place = this.#waiting.push(owner, resolve);
    const timer = setTimeout(() => {
      this.#waiting.remove(place);
      reject(unavailable("database_busy"));
    }, connectTimeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #pass(): void {
    for (const place of this.#waiting.inTurn()) return this.#waiting.take(place)();
    this.#free += 1;
  }
}
