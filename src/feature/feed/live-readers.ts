// Counts and bounds live requests for changes, which are not among the requests in progress. When a process has all
// that it can have, an organization with few of them takes the place of one of the organization with the most.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { feedLimits } from "./rows.ts";

type Caller = Pick<Identity, "organizationId" | "keyId">;

interface Reader extends Caller {
  readonly place: AbortController;
}

export class LiveReaders {
  readonly #all = new Set<Reader>();
  readonly #draining: AbortSignal;

  /** All end when `draining` is aborted, and further ones are refused. */
  constructor(draining: AbortSignal) {
    this.#draining = draining;
    draining.addEventListener("abort", () => {
      for (const { place } of this.#all) place.abort();
    });
  }

  get count(): number {
    return this.#all.size;
  }

  /**
   * Counts a request until it leaves. It has to end when `ended` is aborted. Throws AppError rate_limited or
   * unavailable.
   */
  add({ organizationId, keyId }: Caller): {
    readonly ended: AbortSignal;
    readonly leave: () => void;
  } {
    // A reader that was told that nothing has arrived would ask again at once.
    if (this.#draining.aborted) throw unavailable("closing", { retryAfterSeconds: 1 });
    const own = [...this.#all].filter((one) => one.organizationId === organizationId);
    const ofKey = own.filter((one) => one.keyId === keyId);
    const { keyReadersMax, organizationReadersMax, readersMax } = feedLimits;
    if (own.length >= organizationReadersMax) throw tooMany("organization", organizationReadersMax);
    if (ofKey.length >= keyReadersMax) throw tooMany("API key", keyReadersMax);
    if (this.#all.size >= readersMax) this.#replace(own.length + 1);
    const reader: Reader = { organizationId, keyId, place: new AbortController() };
    this.#all.add(reader);
    return { ended: reader.place.signal, leave: () => void this.#all.delete(reader) };
  }

  #replace(count: number): void {
    const [most = []] = Object.values(
      Object.groupBy(this.#all, ({ organizationId }) => organizationId),
    ).sort((one = [], other = []) => other.length - one.length);
    const [oldest] = most;
    if (oldest === undefined || most.length <= count) {
      throw unavailable("busy", { retryAfterSeconds: 1 });
    }
    this.#all.delete(oldest);
    oldest.place.abort();
  }
}

function tooMany(whose: string, max: number): AppError {
  return new AppError("rate_limited", {
    message: `Your ${whose} already has ${max} live requests for changes in progress, which is the maximum. Try again when one has ended.`,
    retryAfterSeconds: 1,
  });
}
