// Checks the decompressed content of a page before the library decodes it: levels and runs against the number of
// values, and the memory to which repeating encodings would expand. Decodes no values.

import type { Encoding, SchemaElement } from "hyparquet";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { pageLimits } from "./page-limits.ts";

/** What the header of a data page says. */
export interface PageValues {
  /** Values that are null are not counted. */
  readonly count: number;
  readonly encoding: Encoding;
  readonly element: SchemaElement;
  /** True in a page of the second version. */
  readonly isSecond?: boolean;
}

interface Runs {
  readonly from: number;
  readonly to?: number;
  /** Bits of one value. */
  readonly width: number;
  readonly count: number;
}

/** Throws unless the runs have exactly this many values. */
export function checkRuns(
  bytes: Uint8Array,
  { from, to = bytes.length, width, count }: Runs,
): void {
  if (to > bytes.length || width > 32) throw damaged();
  const reader = { view: viewOf(bytes), offset: from };
  for (let seen = 0; seen < count;) {
    if (reader.offset >= to) throw damaged();
    const head = readInteger(reader);
    const isPacked = head % 2 === 1;
    const values = isPacked ? Math.floor(head / 2) * 8 : head / 2;
    // The last packed run is padded to a multiple of eight values, by some writers to more.
    if (values > count - seen + (isPacked ? pageLimits.paddingMax : 0)) throw damaged();
    reader.offset += isPacked ? (values / 8) * width : Math.ceil(width / 8);
    seen += values;
  }
}

/** The levels of values, after a check of their runs. A level is less than 256, because schemas are not as deep. */
export function readLevels(bytes: Uint8Array, runs: Runs): Uint8Array {
  checkRuns(bytes, runs);
  const levels = new Uint8Array(runs.count);
  readRleBitPackedHybrid({ view: viewOf(bytes), offset: runs.from }, runs.width, levels, 0);
  return levels;
}

/** Throws if the values from `at` on would need more memory than is permitted. */
export function checkValues(
  bytes: Uint8Array,
  at: number,
  { count, encoding, element: { type, type_length: valueBytes = 0 }, isSecond = false }: PageValues,
): void {
  const isBoolean = type === "BOOLEAN";
  const isIndex = encoding === "RLE_DICTIONARY" || encoding === "PLAIN_DICTIONARY";
  if ((isIndex || encoding === "RLE") && isIndex === isBoolean) throw damaged();
  if (!isIndex && !isBoolean && count > pageLimits.objectsMax) throw tooManyValues();
  if (valueBytes * count > pageLimits.bytesMax) throw tooLarge();
  if (count === 0) return;
  const width = bytes[at] ?? 0;
  // The library reads no runs of zero-width indices in pages of the first version.
  if (isIndex && (width > 0 || isSecond)) checkRuns(bytes, { from: at + 1, width, count });
  else if (isIndex) return;
  else if (encoding === "RLE") checkRuns(bytes, { from: at + 4, width: 1, count });
  else if (encoding.startsWith("DELTA_")) checkDelta(bytes, at, { count, encoding });
}

function checkDelta(
  bytes: Uint8Array,
  at: number,
  { count, encoding }: Pick<PageValues, "count" | "encoding">,
): void {
  const reader = { view: viewOf(bytes), offset: at };
  checkBlocks(reader);
  if (encoding !== "DELTA_BYTE_ARRAY") return;
  const prefixes = new Int32Array(count);
  deltaBinaryUnpack(reader, count, prefixes);
  checkBlocks(reader);
  const suffixes = new Int32Array(count);
  deltaBinaryUnpack(reader, count, suffixes);
  let [total, before] = [0, 0];
  for (const [index, prefix] of prefixes.entries()) {
    const suffix = suffixes[index] ?? 0;
    if (prefix < 0 || suffix < 0 || prefix > before) throw damaged();
    before = prefix + suffix;
    total += before;
    if (total > pageLimits.bytesMax) throw tooLarge();
  }
}

/** The head of a sequence of deltas, which says how large its blocks are. */
function checkBlocks(reader: Reader): void {
  const { offset } = reader;
  const [block, parts] = [readInteger(reader), readInteger(reader)];
  reader.offset = offset;
  if (parts < 1 || parts > pageLimits.blockPartsMax || block > pageLimits.objectsMax) {
    throw damaged();
  }
}

interface Reader {
  readonly view: DataView<ArrayBuffer>;
  offset: number;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView<ArrayBuffer> {
  return new DataView(buffer as ArrayBuffer, byteOffset, byteLength);
}

function readInteger(reader: Reader): number {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = reader.view.getUint8(reader.offset);
    reader.offset += 1;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return value;
  }
  throw damaged();
}

/** All contradictions have the same message: which one it is would only help developers of the writing program. */
export function damaged(): Error {
  return new Error("a page contradicts its header");
}

export function tooManyValues(): Error {
  return new Error(`a page has too many values; write it with ${pageLimits.objectsMax} at most`);
}

export function tooLarge(): Error {
  return new Error(
    `a page has more than ${pageLimits.bytesMax} bytes; write it with smaller pages`,
  );
}
