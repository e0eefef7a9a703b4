// Challenges for people who sign in or reveal a record. A challenge is a signed text, so that issuing one stores
// nothing. The store remembers only used challenges, until they expire.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Operator } from "../../domain/operator.ts";
import type { ChallengePurpose } from "../../store/interface/operators.ts";
import type { App } from "../app.ts";
import { hashSecret } from "../credential.ts";

export interface ChallengeUse {
  readonly purpose: ChallengePurpose;
  /** The operator or the record: the challenge is valid only with the same text. */
  readonly boundTo?: string;
}

const expiryBytes = 6;
const randomPartBytes = 16;
const signedBytes = expiryBytes + randomPartBytes;
const signatureBytes = 32;

/** 128 random bits, when it expires, and a signature, in base64url. */
export async function makeChallenge(
  app: App,
  use: ChallengeUse,
  lifetimeMs: number,
): Promise<string> {
  const signed = Buffer.concat([Buffer.alloc(expiryBytes), randomBytes(randomPartBytes)]);
  signed.writeUIntBE(app.now() + lifetimeMs, 0, expiryBytes);
  return Buffer.concat([signed, await sign(app, use, signed)]).toString("base64url");
}

/** False if it has expired, is for another use, or is not from this service. It may have been used before. */
export async function isChallenge(
  app: App,
  use: ChallengeUse,
  challenge: string,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, "base64url");
  if (bytes.length !== signedBytes + signatureBytes) return false;
  // The same bytes can be encoded in several ways, but the list of used challenges compares texts, so only one encoding
  // is accepted.
  if (bytes.toString("base64url") !== challenge) return false;
  const signed = bytes.subarray(0, signedBytes);
  const isGenuine = timingSafeEqual(bytes.subarray(signedBytes), await sign(app, use, signed));
  return isGenuine && expiryOf(bytes) > app.now();
}

/** False if it was used before, or this person has too many. Stores a row, so the identity must be proved first. */
export function useChallenge(
  { store, now }: App,
  challenge: string,
  { purpose, operator }: Pick<ChallengeUse, "purpose"> & { readonly operator: Operator },
): Promise<boolean> {
  const expiresAt = expiryOf(Buffer.from(challenge, "base64url"));
  const { operatorId } = operator;
  return store.operators.useChallenge(
    { tokenHash: hashSecret(challenge), purpose, operatorId, expiresAt },
    now(),
  );
}

function expiryOf(bytes: Buffer): number {
  return bytes.readUIntBE(0, expiryBytes);
}

/** Signs with a key that all processes of the store have. */
async function sign({ store }: App, use: ChallengeUse, signed: Buffer): Promise<Buffer> {
  const { purpose, boundTo = "" } = use;
  const text = JSON.stringify(["sluice-challenge", purpose, boundTo, signed.toString("base64url")]);
  return createHmac("sha256", await store.receiptSaltKey())
    .update(text)
    .digest();
}
