// Counts and bounds live requests for changes, which are not among the requests in progress.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { AppError, unavailable } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

type Reader = Pick<Identity, "organizationId" | "keyId">;

export class LiveReaders {
  readonly #all = new Set<Reader>();

  get count(): number {
    return this.#all.size;
  }

  /** Counts a request until the returned function is called. Throws AppError rate_limited or unavailable. */
  add({ organizationId, keyId }: Reader): () => void {
    const readers = [...this.#all];
    const ofKey = readers.filter((reader) => reader.keyId === keyId).length;
    const ofOrganization = readers.filter((one) => one.organizationId === organizationId).length;
    const { keyChangeReadersMax, organizationChangeReadersMax } = limits;
    if (readers.length >= limits.changeReadersMax) {
      throw unavailable("busy", { retryAfterSeconds: 1 });
    }
    if (ofOrganization >= organizationChangeReadersMax) {
      throw tooMany("organization", organizationChangeReadersMax);
    }
    if (ofKey >= keyChangeReadersMax) throw tooMany("API key", keyChangeReadersMax);
    const reader = { organizationId, keyId };
    this.#all.add(reader);
    return () => void this.#all.delete(reader);
  }
}

function tooMany(whose: string, max: number): AppError {
  return new AppError("rate_limited", {
    message: `Your ${whose} already has ${max} live requests for changes in progress, which is the maximum. Try again when one has ended.`,
    retryAfterSeconds: 1,
  });
}
