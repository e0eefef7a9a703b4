// Recently identified callers by the SHA-256 of their token, so that a request needs no lookup in the store. Never
// contains a token, is emptied when credentials change in any process, and finds nobody unless the store has confirmed
// a moment ago that they have not (contract, section 4).

import type { ResourceType } from "../../domain/record-type.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Store } from "../../store/interface/store.ts";

/** When the cache is full, it is emptied. */
const callersCachedMax = 100_000;

/** The time in which a revoked key must stop working. */
const confirmedMs = 2_000;

export interface Identity {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly keyId: string;
  /** The name in the audit trail: the id of the key, or the id of a rule and to whom it has issued the token. */
  readonly actor: string;
  /** Unix milliseconds: the end of the token or of its key, whichever comes first. */
  readonly expiresAt: number;
  /** All scopes that the token's scopes include. */
  readonly covered: ReadonlySet<Scope>;
  readonly confidential: ReadonlySet<ResourceType>;
  readonly rateLimitPerSecond: number | undefined;
  readonly deletionGraceSeconds: number;
}

export class CallerCache {
  readonly lookups = new SharedLookups<Identity>();
  readonly #byHash = new Map<string, Identity>();
  readonly #now: () => number;
  #version: number | undefined;
  /** When the last reading of the version began. */
  #confirmedAt = -Infinity;

  /** `now`: a clock that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  find(tokenHash: string): Identity | undefined {
    const isConfirmed = this.#now() - this.#confirmedAt < confirmedMs;
    return isConfirmed ? this.#byHash.get(tokenHash) : undefined;
  }

  /** Caches a caller that was read under `version`, unless credentials have changed since. */
  keep(tokenHash: string, identity: Identity, version: number): void {
    if (version !== this.#version) return;
    if (this.#byHash.size >= callersCachedMax) this.#byHash.clear();
    this.#byHash.set(tokenHash, identity);
  }

  /** Reads the version of the credentials. If it differs from the previous one, the cache is emptied. */
  async confirm({ credentialsVersion }: Pick<Store, "credentialsVersion">): Promise<number> {
    const beganAt = this.#now();
    const version = await credentialsVersion();
    // A reading that began earlier than another one may be older.
    if (beganAt < this.#confirmedAt) return version;
    this.#confirmedAt = beganAt;
    if (version === this.#version) return version;
    this.#version = version;
    this.#byHash.clear();
    return version;
  }
}

/** Later requests for a key share the next lookup: two run at most, and none returns what was read before a request. */
export class SharedLookups<Result> {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<Result>>();

  run(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, lookUp);
    let next = this.#next.get(key);
    if (next === undefined) {
      next = running.then(() => {
        this.#next.delete(key);
        return this.run(key, lookUp);
      });
      this.#next.set(key, next);
    }
    return next;
  }

  #start(key: string, lookUp: () => Promise<Result>): Promise<Result> {
    const result = lookUp();
    const end = () => void this.#running.delete(key);
    this.#running.set(key, result.then(end, end));
    return result;
  }
}
