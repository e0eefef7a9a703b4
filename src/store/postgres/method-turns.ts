// Methods of the store run at most as many transactions at a time as there are connections, and organizations take
// turns: however many requests of one wait, a request of another, a group of writes and the worker wait for few. The
// pool by itself serves in the order of arrival. One organization does not get all connections: its transactions may
// wait for each other's locks.

import { FairQueue } from "../../basics/fair-queue.ts";
import { unavailable } from "../../domain/error.ts";
import type { Visibility } from "../sql/statement/visibility.ts";
import { connectTimeoutMs } from "./settings.ts";

const shareOfOne = 0.75;

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

export class MethodTurns {
  readonly #max: number;
  readonly #ofOneMax: number;
  /** How many are running, of all and by owner. */
  #running = 0;
  readonly #ofOwners = new Map<string, number>();
  readonly #waiting = new FairQueue<Waiting>();

  constructor(connections: number) {
    this.#max = connections;
    this.#ofOneMax = Math.ceil(shareOfOne * connections);
  }

  /** Rejects like `work`, and with AppError unavailable if there was no turn for as long as a connection may take. */
  async run<Result>(
    { organizations = [], view }: Visibility,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const [owner = view ?? ""] = organizations;
    if (this.#mayRun(owner)) this.#count(owner, 1);
    else await this.#turn(owner);
    try {
      return await work();
    } finally {
      this.#count(owner, -1);
      this.#beginNext();
    }
  }

  #mayRun(owner: string): boolean {
    return this.#running < this.#max && (this.#ofOwners.get(owner) ?? 0) < this.#ofOneMax;
  }

  #count(owner: string, change: 1 | -1): void {
    this.#running += change;
    const count = (this.#ofOwners.get(owner) ?? 0) + change;
    if (count === 0) this.#ofOwners.delete(owner);
    else this.#ofOwners.set(owner, count);
  }

  #turn(owner: string): Promise<void> {
    const { promise, resolve: begin, reject } = Promise.withResolvers<void>();
    const place = this.#waiting.push(owner, { owner, begin });
    const timer = setTimeout(() => {
      this.#waiting.remove(place);
      reject(unavailable("database_busy"));
    }, connectTimeoutMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #beginNext(): void {
    for (const place of this.#waiting.inTurn()) {
      const { owner, begin } = place.item;
      if (!this.#mayRun(owner)) continue;
      this.#waiting.take(place);
      this.#count(owner, 1);
      begin();
    }
  }
}
