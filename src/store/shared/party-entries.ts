// The index of parties as it is stored: which changes name which persons and companies. An entry is a part of the hash
// of an organization and a party, and the place of the change in a block of arrival numbers. Rows of an organization
// and a block contain the entries of a bucket, that is, with the same first bits of the hash; or all of them, if there
// are few. Knows no store.

import { hash } from "node:crypto";

/** How many arrival numbers a block has. */
export const blockNumbers = 4_096;
/** The bucket of a row with all entries of a block. */
export const allBuckets = -1;
/** More entries than this that are added at a time are divided into buckets. */
const entriesTogetherMax = 64;
const bucketShift = 1;
const entryBytes = 6;
const placeAt = 4;

/** Entries of one block, in no order, one after another. */
export type PackedEntries = Buffer;

export interface PartyHash {
  readonly bucket: number;
  /** The bits of the hash that an entry has. */
  readonly rest: number;
}

export interface PartyEntry extends PartyHash {
  readonly changeNo: number;
}

export function hashParty(key: string, organizationId: string, party: string): PartyHash {
  // Twice as fast as reading the numbers from a buffer.
  const hex = hash("sha256", `parties\n${key}\n${organizationId}\n${party}`, "hex");
  const bucket = Number.parseInt(hex.slice(0, 2), 16) >> bucketShift;
  return { bucket, rest: Number.parseInt(hex.slice(2, 10), 16) };
}

export function blockOf(changeNo: number): number {
  return Math.floor((changeNo - 1) / blockNumbers);
}

/** Entries of an organization in a block, by bucket. */
export function divideEntries(
  entries: readonly PartyEntry[],
): ReadonlyMap<number, readonly PartyEntry[]> {
  if (entries.length <= entriesTogetherMax) return new Map([[allBuckets, entries]]);
  return Map.groupBy(entries, ({ bucket }) => bucket);
}

export function packEntries(entries: readonly Omit<PartyEntry, "bucket">[]): PackedEntries {
  const bytes = Buffer.alloc(entries.length * entryBytes);
  for (const [index, { rest, changeNo }] of entries.entries()) {
    bytes.writeUInt32BE(rest, index * entryBytes);
    bytes.writeUInt16BE((changeNo - 1) % blockNumbers, index * entryBytes + placeAt);
  }
  return bytes;
}

/** The bytes by which the entries of a party are found. */
export function beginningOf({ rest }: Pick<PartyHash, "rest">): Uint8Array {
  return packEntries([{ rest, changeNo: 1 }]).subarray(0, placeAt);
}

/** Returns the others; the same if the entry is not among them. */
export function withoutEntry(
  packed: PackedEntries,
  entry: Omit<PartyEntry, "bucket">,
): PackedEntries {
  const bytes = packEntries([entry]);
  let at = packed.indexOf(bytes);
  while (at % entryBytes > 0) at = packed.indexOf(bytes, at + 1);
  if (at === -1) return packed;
  return Buffer.concat([packed.subarray(0, at), packed.subarray(at + entryBytes)]);
}

export function* readEntries(
  packed: Uint8Array,
  block: number,
): Iterable<Omit<PartyEntry, "bucket">> {
  const bytes = toBuffer(packed);
  const first = block * blockNumbers + 1;
  for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
    yield { rest: bytes.readUInt32BE(at), changeNo: first + bytes.readUInt16BE(at + placeAt) };
  }
}

export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
