// Bounds the memory of request bodies, or of pages for replies, for all organizations together and for each. Without a
// reservation nothing is read: the request waits, and organizations take turns.

import { FairQueue } from "../../basics/fair-queue.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

const bodiesWaitingMax = 256;

/** Memory reserved for one body or page, to be released when its request is finished. */
export interface Reservation {
  /** How much is reserved; 0 once it is released. */
  readonly bytes: number;
  /** Reserves more, without waiting. Throws AppError unavailable if too little is free. */
  extend(bytes: number): void;
  /** Releases everything. May be called more than once. */
  release(): void;
}

export interface MemoryBudgetOptions {
  readonly totalBytesMax: number;
  readonly organizationBytesMax: number;
  /** An organization may always reserve this much, also beyond a bound of `boundNew`, so that others don't block it. */
  readonly assuredBytes: number;
  readonly waitMsMax: number;
  readonly waitingMax: number;
}

const ofBodies: MemoryBudgetOptions = {
  totalBytesMax: limits.heldBodyBytesMax,
  organizationBytesMax: limits.organizationBodyBytesMax,
  assuredBytes: 1_024 * 1_024,
  waitMsMax: limits.bodyReservationWaitMsMax,
  waitingMax: bodiesWaitingMax,
};

/** What reading a page needs at most: its rows, the items of the reply, and the list of these. */
export const pageMemoryBytes = 4 * limits.pageBytesMax;

/** A few pages at a time, so that the first is complete before all others are in memory too. */
const pagesMax = 8;
const pagesOfOrganizationMax = 2;

export const ofPages: MemoryBudgetOptions = {
  totalBytesMax: pagesMax * pageMemoryBytes,
  organizationBytesMax: pagesOfOrganizationMax * pageMemoryBytes,
  assuredBytes: 0,
  waitMsMax: limits.bodyReservationWaitMsMax,
  waitingMax: limits.organizationRequestsMax,
};

interface WaitingBody {
  readonly organizationId: string;
  readonly bytes: number;
  readonly grant: () => void;
}

export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new FairQueue<WaitingBody>();
  heldBytes = 0;
  /** The bound that `boundNew` has set. */
  #newBytesMax = Infinity;

  constructor(options: MemoryBudgetOptions = ofBodies) {
    this.#options = options;
  }

  /** Bounds new reservations beyond what is assured. A reservation that is the only one can still be extended. */
  boundNew(bytesMax: number): void {
    const isRaised = bytesMax > this.#newBytesMax;
    this.#newBytesMax = bytesMax;
    if (isRaised) this.#grantWaiting();
  }

  /**
   * Returns the reservation if enough is free, otherwise a promise of it that resolves when others have released
   * theirs. Throws AppError unavailable if too many bodies wait, and rejects with it after `waitMsMax` or when `signal`
   * is aborted because the client has disconnected, which may be before.
   */
  reserve(
    organizationId: string,
    bytes: number,
    signal: AbortSignal,
  ): Reservation | Promise<Reservation> {
    const waiting = this.#waiting.sizeOf(organizationId);
    if (waiting === 0 && this.#fitsNew(organizationId, bytes)) {
      return this.#reserveNow(organizationId, bytes);
    }
    if (waiting >= this.#options.waitingMax) throw this.#tooMuch();
    return this.#wait(organizationId, bytes, signal);
  }

  #wait(organizationId: string, bytes: number, signal: AbortSignal): Promise<Reservation> {
    const { promise, resolve, reject } = Promise.withResolvers<Reservation>();
    const grant = (): void => {
      leave();
      resolve(this.#reserveNow(organizationId, bytes));
    };
    const abandon = (): void => {
      leave();
      reject(this.#tooMuch());
      this.#grantWaiting();
    };
    const leave = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abandon);
      this.#waiting.remove(place);
    };
    const timer = setTimeout(abandon, this.#options.waitMsMax).unref();
    signal.addEventListener("abort", abandon);
    const place = this.#waiting.push(organizationId, { organizationId, bytes, grant });
    if (signal.aborted) abandon();
    return promise;
  }

  #fitsNew(organizationId: string, bytes: number): boolean {
    if (!this.#fits(organizationId, bytes)) return false;
    const own = (this.#held.get(organizationId) ?? 0) + bytes;
    return own <= this.#options.assuredBytes || this.heldBytes + bytes <= this.#newBytesMax;
  }

  #fits(organizationId: string, bytes: number): boolean {
    const { totalBytesMax, organizationBytesMax } = this.#options;
    const held = this.#held.get(organizationId) ?? 0;
    return held + bytes <= organizationBytesMax && this.heldBytes + bytes <= totalBytesMax;
  }

  #reserveNow(organizationId: string, bytes: number): Reservation {
    let held = 0;
    const reserve = (more: number): void => {
      held += more;
      this.#add(organizationId, more);
    };
    reserve(bytes);
    return {
      get bytes() {
        return held;
      },
      extend: (more) => {
        const isAlone = held === this.heldBytes;
        const fits = isAlone
          ? this.#fits(organizationId, more)
          : this.#fitsNew(organizationId, more);
        if (!fits) throw this.#tooMuch();
        reserve(more);
      },
      release: () => {
        if (held === 0) return;
        this.#add(organizationId, -held);
        held = 0;
        this.#grantWaiting();
      },
    };
  }

  #add(organizationId: string, bytes: number): void {
    this.heldBytes += bytes;
    const held = (this.#held.get(organizationId) ?? 0) + bytes;
    if (held === 0) this.#held.delete(organizationId);
    else this.#held.set(organizationId, held);
  }

  /** One for each organization in turn: the next body of one may not fit where that of another does. */
  #grantWaiting(): void {
    for (const place of this.#waiting.inTurn()) {
      const { organizationId, bytes, grant } = place.item;
      if (!this.#fitsNew(organizationId, bytes)) continue;
      this.#waiting.take(place);
      grant();
    }
  }

  #tooMuch(): AppError {
    return new AppError("unavailable", {
      message:
        "Too many large requests are in progress. Send fewer at a time, or smaller ones, and try again.",
      retryAfterSeconds: Math.ceil(this.#options.waitMsMax / 1_000),
    });
  }
}
