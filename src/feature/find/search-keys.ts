// The keys of the index of persons and companies, one for each organization. They are derived from the private receipt
// key, which no store contains, so a stolen store does not disclose what was hashed.

import { createHmac, hkdfSync, type KeyObject } from "node:crypto";

/** Half of SHA-256: collisions within an organization are not to be expected. */
const hashBytes = 16;
const keyBytes = 32;
/** Every engine can store it exactly in a number. */
const checkBytes = 6;
/** Raise it when a value gets other terms than before: then each index is made again by itself. */
const rulesVersion = 4;

export interface SearchKeys {
  /** Identifies the secret from which the keys are derived, and the rules by which values are compared. */
  readonly check: number;
  /** The checks of this secret with earlier rules. */
  readonly earlierChecks: readonly number[];
  hash(organizationId: string, text: string): Uint8Array;
}

export function makeSearchKeys(secret: KeyObject): SearchKeys {
  const from = secret.export({ format: "der", type: "pkcs8" });
  const derive = (what: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", from, "", `index of persons, ${what}`, bytes));
  const keys = new Map<string, Buffer>();
  const keyOf = (organizationId: string): Buffer => {
    const key = keys.get(organizationId) ?? derive(`of ${organizationId}`, keyBytes);
    keys.set(organizationId, key);
    return key;
  };
  // Never 0, which means that no key is in use.
  const checkOf = (version: number) =>
    1 + derive(version === 1 ? "check" : `check ${version}`, checkBytes).readUIntBE(0, checkBytes);
  return {
    check: checkOf(rulesVersion),
    earlierChecks: Array.from({ length: rulesVersion - 1 }, (_, at) => checkOf(at + 1)),
    hash: (organizationId, text) =>
      createHmac("sha256", keyOf(organizationId)).update(text).digest().subarray(0, hashBytes),
  };
}
