// The number under which a later change of a record is indexed, so that an identical change is found without reading all
// of them. The same on every engine; whoever finds a change by it compares the whole text.

import { hash } from "node:crypto";

/** As many as make an integer that is exact as a JavaScript number. */
const digestBytes = 6;

export function payloadDigest(payload: string): number {
  return hash("sha256", payload, "buffer").readUIntBE(0, digestBytes);
}
