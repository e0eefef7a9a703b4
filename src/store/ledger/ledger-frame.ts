// One append to the ledger as a line of bytes: `v2 <bytes of the JSON> <SHA-256, hex> <JSON>\n`. The digest covers the
// previous frame's digest and the JSON. So frames form a chain in which a changed, moved or missing frame is detected.

import { hash as digest } from "node:crypto";

/** The previous digest of the first frame. */
export const noDigest = "0".repeat(64);

const newline = 0x0a;
const head = /^v2 (\d{1,6}) ([0-9a-f]{64}) /;
/** The longest text that `head` can match. */
const frameHeadBytesMax = 3 + 6 + 1 + 64 + 1;

export interface Frame {
  readonly digest: string;
  readonly json: string;
}

export function makeFrame(json: string, previous: string): { bytes: Buffer; digest: string } {
  const sum = digestOf(json, previous);
  return { bytes: Buffer.from(`v2 ${Buffer.byteLength(json)} ${sum} ${json}\n`), digest: sum };
}

/**
 * Reads a line without its newline; undefined unless it is complete and has the right length. Does not check the
 * digest.
 */
export function parseFrame(line: Buffer): Frame | undefined {
  const start = line.subarray(0, frameHeadBytesMax).toString("latin1");
  const [found, length, sum] = head.exec(start) ?? [];
  if (found === undefined || length === undefined || sum === undefined) return undefined;
  const json = line.subarray(found.length);
  if (json.length !== Number(length) || json.includes(newline)) return undefined;
  return { digest: sum, json: json.toString() };
}

/** True if the frame is unchanged and follows the one with this digest. */
export function followsFrame(frame: Frame, previous: string): boolean {
  return digestOf(frame.json, previous) === frame.digest;
}

function digestOf(json: string, previous: string): string {
  return digest("sha256", `${previous}\n${json}`);
}
