// How much of request bodies may be held in memory at once, over all organizations and for each. A body that has no room
// is not read yet: it waits, organizations in turn, and stays in its client's hands meanwhile.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

/** Beyond this many waiting bodies a request is rejected at once, so that the queue is bounded. */
const bodiesWaitingMax = 256;

/** Room for one body, to be released when its request is over. */
export interface Reservation {
  /** Takes more, without waiting. Throws AppError unavailable if there is not as much. */
  extend(bytes: number): void;
  /** Releases everything. To be called once or more often. */
  release(): void;
}

export interface BodyBudgetOptions {
  readonly totalBytesMax: number;
  readonly organizationBytesMax: number;
  /** How long a body waits for room. */
  readonly waitMsMax: number;
  /** How many bodies of an organization may wait. */
  readonly waitingMax: number;
}

const defaults: BodyBudgetOptions = {
  totalBytesMax: limits.heldBodyBytesMax,
  organizationBytesMax: limits.organizationBodyBytesMax,
  waitMsMax: limits.bodyReservationWaitMsMax,
  waitingMax: bodiesWaitingMax,
};

interface Waiting {
  readonly bytes: number;
  readonly grant: () => void;
}

export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #held = new Map<string, number>();
  /** By organization, in the order of their turns; only those for which something waits. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #heldBytes = 0;
  /** Of new bodies, over all organizations. */
  #newBytesMax = Infinity;

  constructor(options: BodyBudgetOptions = defaults) {
    this.#options = options;
  }

  /** Bytes that are held, or promised to bodies that are on their way. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * From now on a body gets room, or more of it, only while all of them hold at most so much with it. Those that have room
   * keep it, and one that is alone gets more.
   */
  boundNew(bytesMax: number): void {
    const more = bytesMax > this.#newBytesMax;
    this.#newBytesMax = bytesMax;
    if (more) this.#grant();
  }

  /**
   * At once if there is room, or when others have given theirs back. Throws AppError unavailable if too many wait, and
   * rejects with it after `waitMsMax`, or when `signal` tells that the client is gone.
   */
  reserve(
    organizationId: string,
    bytes: number,
    signal: AbortSignal,
  ): Reservation | Promise<Reservation> {
    const waiting = this.#waiting.get(organizationId);
    if (waiting === undefined && this.#fitsNew(organizationId, bytes)) {
      return this.#give(organizationId, bytes);
    }
    if ((waiting?.size ?? 0) >= this.#options.waitingMax) throw this.#tooMuch();
    return this.#wait(organizationId, bytes, signal);
  }

  #wait(organizationId: string, bytes: number, signal: AbortSignal): Promise<Reservation> {
    const { promise, resolve, reject } = Promise.withResolvers<Reservation>();
    const waiting: Waiting = {
      bytes,
      grant: () => {
        settle();
        resolve(this.#give(organizationId, bytes));
      },
    };
    const giveUp = (): void => {
      settle();
      reject(this.#tooMuch());
      this.#grant();
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      this.#leave(organizationId, waiting);
    };
    const timer = setTimeout(giveUp, this.#options.waitMsMax).unref();
    signal.addEventListener("abort", giveUp);
    const line = this.#waiting.get(organizationId) ?? new Set();
    this.#waiting.set(organizationId, line.add(waiting));
    return promise;
  }

  #leave(organizationId: string, waiting: Waiting): void {
    const line = this.#waiting.get(organizationId);
    line?.delete(waiting);
    if (line?.size === 0) this.#waiting.delete(organizationId);
  }

  #fitsNew(organizationId: string, bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#newBytesMax && this.#fits(organizationId, bytes);
  }

  #fits(organizationId: string, bytes: number): boolean {
    const { totalBytesMax, organizationBytesMax } = this.#options;
    const held = this.#held.get(organizationId) ?? 0;
    return held + bytes <= organizationBytesMax && this.#heldBytes + bytes <= totalBytesMax;
  }

  #give(organizationId: string, bytes: number): Reservation {
    let held = 0;
    const take = (more: number): void => {
      held += more;
      this.#add(organizationId, more);
    };
    take(bytes);
    return {
      extend: (more) => {
        const isAlone = held === this.#heldBytes;
        const fits = isAlone
          ? this.#fits(organizationId, more)
          : this.#fitsNew(organizationId, more);
        if (!fits) throw this.#tooMuch();
        take(more);
      },
      release: () => {
        if (held === 0) return;
        this.#add(organizationId, -held);
        held = 0;
        this.#grant();
      },
    };
  }

  #add(organizationId: string, bytes: number): void {
    this.#heldBytes += bytes;
    const held = (this.#held.get(organizationId) ?? 0) + bytes;
    if (held === 0) this.#held.delete(organizationId);
    else this.#held.set(organizationId, held);
  }

  /** One for each organization in turn, whose next one may not fit where another's does. */
  #grant(): void {
    for (const [organizationId, line] of this.#waiting) {
      const [next] = line;
      if (next === undefined || !this.#fitsNew(organizationId, next.bytes)) continue;
      // To the end of the turns, where this walk meets it once more.
      this.#waiting.delete(organizationId);
      this.#waiting.set(organizationId, line);
      next.grant();
    }
  }

  #tooMuch(): AppError {
    return new AppError("unavailable", {
      message:
        "Too many large requests are under way. Send fewer at a time, or smaller ones, and try again.",
      retryAfterSeconds: Math.ceil(this.#options.waitMsMax / 1_000),
    });
  }
}
