// Divides the time of one thread between organizations: each task does a small step per turn, and events are received
// between two turns. The next turn is that of the organization that has used the least time, so one with cheap steps
// waits for at most one expensive step of another.

interface Line {
  readonly resolves: (() => void)[];
  /** The time that its turns have used; at least as much as the organization that was being served when it arrived. */
  usedMs: number;
}

export interface TurnOptions {
  readonly now?: () => number;
  /**
   * How often the event loop runs between two steps. In each of these iterations a server accepts only one connection,
   * so expensive steps on the thread of a server would otherwise let new connections wait for as many steps.
   */
  readonly loopIterations?: number;
}

export class Turns {
  readonly #now: () => number;
  readonly #loopIterations: number;
  /** One that does not wait is kept as long as it has used more time than others. */
  readonly #lines = new Map<string, Line>();
  #waiting = 0;
  #scheduled = false;
  /** How much time the organization that was served last had used before. */
  #servedMs = 0;

  constructor({ now = () => performance.now(), loopIterations = 1 }: TurnOptions = {}) {
    this.#now = now;
    this.#loopIterations = loopIterations;
  }

  /** Resolves when it is this organization's turn, which lasts until the caller waits for an event. */
  next(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(organizationId) ?? { resolves: [], usedMs: 0 };
      if (line.resolves.length === 0) line.usedMs = Math.max(line.usedMs, this.#servedMs);
      line.resolves.push(resolve);
      this.#lines.set(organizationId, line);
      this.#waiting += 1;
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#serveAfter(this.#loopIterations);
  }

  #serveAfter(loopIterations: number): void {
    if (loopIterations > 1) {
      setImmediate(() => this.#serveAfter(loopIterations - 1));
      return;
    }
    let line: Line | undefined;
    let beganAt = 0;
    // After events that have already arrived.
    setImmediate(() => {
      line = this.#leastUsed();
      beganAt = this.#now();
      line?.resolves.shift()?.();
      this.#waiting -= 1;
    });
    // After the step, which runs in the microtasks of the first.
    setImmediate(() => {
      this.#scheduled = false;
      if (line !== undefined) line.usedMs += this.#now() - beganAt;
      if (this.#waiting > 0) this.#schedule();
      else this.#lines.clear();
    });
  }

  /** Removes organizations that don't wait and have used no more time than the returned one. */
  #leastUsed(): Line | undefined {
    let least: Line | undefined;
    for (const line of this.#lines.values()) {
      if (line.resolves.length > 0 && line.usedMs < (least?.usedMs ?? Infinity)) least = line;
    }
    this.#servedMs = least?.usedMs ?? 0;
    for (const [organizationId, { resolves, usedMs }] of this.#lines) {
      if (resolves.length === 0 && usedMs <= this.#servedMs) this.#lines.delete(organizationId);
    }
    return least;
  }
}
