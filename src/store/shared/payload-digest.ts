// The digest that indexes the changes of a record, so that an identical change is found without reading all of them.
// Digests are the same on every engine. They can collide, so the payloads of a match must be compared.

import { hash } from "node:crypto";

/** The first changes of a record are compared one by one and may have a digest; all later ones have one. */
export const comparedChanges = 16;

/** 48 bits: an integer that is exact as a JavaScript number. */
const digestHexDigits = 12;

export function payloadDigest(payload: string): number {
  // Twice as fast as reading the number from a buffer.
  return Number.parseInt(hash("sha256", payload, "hex").slice(0, digestHexDigits), 16);
}
