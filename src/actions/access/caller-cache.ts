// Recently identified callers by the SHA-256 of their token, so that a request needs no lookup in the store. Never
// contains a token, and is emptied when credentials change in any process.

import type { ResourceType } from "../../domain/record-type.ts";
import type { Scope } from "../../domain/scope.ts";
import { SharedLookups } from "./shared-lookups.ts";

/** When the cache is full, it is emptied. */
const callersCachedMax = 100_000;

/** What entry points and actions know of a caller. */
export interface Identity {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly keyId: string;
  /** The name in the audit trail: the id of the key, or the id of the rule with the issuer and the program. */
  readonly actor: string;
  /** Unix milliseconds: the end of the token or of its key, whichever comes first. */
  readonly expiresAt: number;
  /** All scopes that the token's scopes include. */
  readonly covered: ReadonlySet<Scope>;
  /** The confidential types of the organization. */
  readonly confidential: ReadonlySet<ResourceType>;
  readonly rateLimitPerSecond: number | undefined;
  readonly deletionGraceSeconds: number;
}

export class CallerCache {
  /** Lookups in progress of callers that are not cached. */
  readonly lookups = new SharedLookups<Identity>();
  readonly #byHash = new Map<string, Identity>();
  #version: number | undefined;

  find(tokenHash: string): Identity | undefined {
    return this.#byHash.get(tokenHash);
  }

  /** Caches a caller that was read under `version`, unless credentials have changed since. */
  keep(tokenHash: string, identity: Identity, version: number): void {
    if (version !== this.#version) return;
    if (this.#byHash.size >= callersCachedMax) this.#byHash.clear();
    this.#byHash.set(tokenHash, identity);
  }

  /** If the version differs from the previous one, the cache is emptied. */
  observe(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#byHash.clear();
  }
}
