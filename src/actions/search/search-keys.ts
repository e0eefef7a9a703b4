// The keys of the index of persons and companies, one for each organization. They are derived from the private receipt
// key, which no store contains, so a stolen store does not disclose what was hashed.

import { createHmac, hkdfSync, type KeyObject } from "node:crypto";
import type { SearchKeys } from "../app.ts";

/** Half of SHA-256: collisions within an organization are not to be expected. */
const hashBytes = 16;
const keyBytes = 32;
/** Every engine can store it exactly in a number. */
const checkBytes = 6;

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
  return {
    // Never 0, which means that no key is in use.
    check: 1 + derive("check", checkBytes).readUIntBE(0, checkBytes),
    hash: (organizationId, text) =>
      createHmac("sha256", keyOf(organizationId)).update(text).digest().subarray(0, hashBytes),
  };
}
