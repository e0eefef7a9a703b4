// Callers that were identified lately, by the SHA-256 of their token, so that a request needs no look-up in the store.
// Never keeps a token, and forgets everything as soon as credentials change anywhere.

import type { Scope } from "../domain/scope.ts";

/** When the cache is full, it is emptied. */
const callersCachedMax = 100_000;

/** A caller as entry points and actions need it. */
export interface Identity {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly keyId: string;
  /** Unix milliseconds: the end of the token or of its key, whichever comes first. */
  readonly expiresAt: number;
  /** Everything that the token's scopes cover. */
  readonly covered: ReadonlySet<Scope>;
  readonly rateLimitPerSecond: number | undefined;
  readonly deletionGraceSeconds: number;
}

export class CallerCache {
  readonly #byHash = new Map<string, Identity>();
  #version: number | undefined;

  find(tokenHash: string): Identity | undefined {
    return this.#byHash.get(tokenHash);
  }

  /** Keeps a caller that was read under `version`; one that was read before a change is not kept. */
  keep(tokenHash: string, identity: Identity, version: number): void {
    if (version !== this.#version) return;
    if (this.#byHash.size >= callersCachedMax) this.#byHash.clear();
    this.#byHash.set(tokenHash, identity);
  }

  /** Tells the cache the store's credentials version; if it moved, every caller is looked up afresh. */
  observe(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#byHash.clear();
  }
}
