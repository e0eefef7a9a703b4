// What every action receives: the store, the ledger, the clock, the operator, and what this process caches between
// requests.

import type { KeyObject } from "node:crypto";
import type { DeletionLedger } from "../store/interface/ledger.ts";
import type { Store } from "../store/interface/store.ts";
import type { Act } from "../store/interface/act.ts";
import type { CallerCache } from "./access/caller-cache.ts";
import type { OffsetCipher } from "./change/offset.ts";
import type { InFlightKeys } from "./intake/idempotency.ts";
import type { Viewer } from "./operator/viewer.ts";
import type { Setting } from "../settings/setting.ts";

/** Signs with the current receipt key. */
export interface Signer {
  readonly keyId: string;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  sign(text: string): string;
}

export interface App {
  readonly store: Store;
  /** Outside the store, so that restoring a backup of the store does not change it. */
  readonly ledger: DeletionLedger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The last time at which the clock was trusted, as far as this process knows. */
  readonly knownTime: { at: number };
  /** The clock is not trusted if it has jumped by more than this; 0 if it always is. */
  readonly clockJumpMs: number;
  /** The first day of timestamps that are accepted (TIMESTAMP_MIN). */
  readonly timestampMin: string;
  /** The actor in the audit trail for acts of this process that no request has caused. */
  readonly operator: string;
  /** Present for one request of the console or one command; undefined for an application that serves many. */
  readonly viewer?: Viewer;
  /** The proposal that this person approves with the next act. */
  readonly approving?: string;
  /** Returns what signs the ledger; undefined if this process has no key. */
  readonly signer: () => Signer | undefined;
  /** Returns the keys that are made from the private receipt key; undefined if this process has no such key. */
  readonly derive: <Keys>(make: (secret: KeyObject) => Keys) => Keys | undefined;
  /** The value of a setting of a feature. */
  readonly setting: <Value>(item: Setting<Value>) => Value;
  /** Returns what makes and reads offsets of changes. */
  readonly offsets: () => Promise<OffsetCipher>;
  readonly callers: CallerCache;
  readonly inFlight: InFlightKeys;
}

/**
 * The time of what is asked for now. A clock that is behind does not make it older than what was known before:
 * timestamps would be refused as in the future, and grace periods and floors would end too early.
 */
export function currentTimeOf({ now, knownTime }: Pick<App, "now" | "knownTime">): number {
  return Math.max(now(), knownTime.at);
}

export function actOf(app: App): Act {
  return { actor: app.operator, now: currentTimeOf(app) };
}
