// What every action receives: the store, the ledger, the clock, the operator, and what this process caches between
// requests.

import type { WebhookEndpoint } from "../domain/webhook.ts";
import type { DeletionLedger } from "../store/interface/ledger.ts";
import type { Store } from "../store/interface/store.ts";
import type { Act } from "../store/interface/act.ts";
import type { CallerCache } from "./access/caller-cache.ts";
import type { IssuerKeys } from "./identity/issuer-keys.ts";
import type { InFlightKeys } from "./intake/idempotency.ts";
import type { AllowedAddresses } from "./webhook/allowed-address.ts";
import type { Viewer } from "./operator/viewer.ts";

/** Signs with the current receipt key. */
export interface Signer {
  readonly keyId: string;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
  /** Base64url. */
  sign(text: string): string;
}

/** Makes the hashes by which persons and companies are found. */
export interface SearchKeys {
  /** Identifies the secret from which the keys are derived, and the rules by which values are compared. */
  readonly check: number;
  /** The checks of this secret with earlier rules. */
  readonly earlierChecks: readonly number[];
  /** The hash of a text under the key of an organization. */
  hash(organizationId: string, text: string): Uint8Array;
}

/** A webhook message as it is signed. */
export interface SignedMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The secrets of webhooks, each with its public key. */
export interface WebhookKeys {
  /** Identifies the secret from which the others are derived. */
  readonly check: number;
  secretOf(
    endpointId: string,
    version: number,
  ): { readonly secret: string; readonly publicKey: string };
  /** The same for each attempt; does not disclose what it was made from. */
  messageId(endpointId: string, what: string): string;
  /** The value of the header with the signatures. */
  sign(endpoint: WebhookEndpoint, message: SignedMessage, now: number): string;
}

export interface App {
  readonly store: Store;
  /** Outside the store, so that restoring a backup of the store does not change it. */
  readonly ledger: DeletionLedger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The clock is not trusted if it has jumped by more than this; 0 if it always is. */
  readonly clockJumpMs: number;
  /** The first day of timestamps that are accepted (TIMESTAMP_MIN). */
  readonly timestampMin: string;
  /** The actor in the audit trail for acts of this process that no request has caused. */
  readonly operator: string;
  /**
   * The person who acts: present for one request of the console or one command, undefined for an application that
   * serves many.
   */
  readonly viewer?: Viewer;
  /** The proposal that this person approves with the next act. */
  readonly approving?: string;
  /** Returns what signs the ledger; undefined if this process has no key. */
  readonly signer: () => Signer | undefined;
  /** Returns the keys of the index; undefined if this process has no secret to derive them from. */
  readonly searchKeys: () => SearchKeys | undefined;
  /** Returns the secrets of webhooks; undefined if this process has no secret to derive them from. */
  readonly webhookKeys: () => WebhookKeys | undefined;
  readonly webhookAddresses: AllowedAddresses;
  readonly callers: CallerCache;
  readonly issuerKeys: IssuerKeys;
  readonly inFlight: InFlightKeys;
}

/** The actor and the time of an operator's act now. */
export function actOf({ operator, now }: App): Act {
  return { actor: operator, now: now() };
}
