// Counts and bounds live requests for changes, which are not among the requests in progress. When a process has all
// that it can have, an organization with few of them takes the place of one of the organization with the most.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

type Caller = Pick<Identity, "organizationId" | "keyId">;

interface Reader extends Caller {
  readonly place: AbortController;
}

export class LiveReaders {
  readonly #all = new Set<Reader>();

  get count(): number {
    return this.#all.size;
  }

  /** Counts a request until it leaves or is replaced. Throws AppError rate_limited or unavailable. */
  add({ organizationId, keyId }: Caller): {
    readonly replaced: AbortSignal;
    readonly leave: () => void;
  } {
    const own = [...this.#all].filter((one) => one.organizationId === organizationId);
    const ofKey = own.filter((one) => one.keyId === keyId);
    const { keyChangeReadersMax, organizationChangeReadersMax } = limits;
    if (own.length >= organizationChangeReadersMax) {
      throw tooMany("organization", organizationChangeReadersMax);
    }
    if (ofKey.length >= keyChangeReadersMax) throw tooMany("API key", keyChangeReadersMax);
    if (this.#all.size >= limits.changeReadersMax) this.#replace(own.length + 1);
    const reader: Reader = { organizationId, keyId, place: new AbortController() };
    this.#all.add(reader);
    // `replaced` is aborted when another organization gets the place of this request, which then has to end.
    return { replaced: reader.place.signal, leave: () => void this.#all.delete(reader) };
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
