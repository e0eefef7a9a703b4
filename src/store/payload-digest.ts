// The digest by which later changes of a record are indexed, so that an identical change is found without reading all of them.
// The same on every engine. Digests can collide, so the payloads of a match must be compared.

import { hash } from "node:crypto";

/** 48 bits: an integer that is exact as a JavaScript number. */
const digestBytes = 6;

export function payloadDigest(payload: string): number {
  return hash("sha256", payload, "buffer").readUIntBE(0, digestBytes);
}
