// Arrays in the binary format of PostgreSQL (array_recv). As text, every quote of a payload would have to be escaped
// here and parsed by the server, which takes a third of the processor time of both for a list. Sends nothing.

type Item = null | boolean | number | string | Uint8Array;

/** The element types that are encoded, with their numbers, which are the same on every server (pg_type.dat). */
const elementTypes: Readonly<Record<string, number>> = { text: 25, bigint: 20, bytea: 17 };

const arrayParameter = /\$(\d+)::(text|bigint|bytea)\[\]/g;

/** The element type of each array parameter of a statement. */
export function arrayTypesOf(sql: string): ReadonlyMap<number, string> {
  const matches = sql.matchAll(arrayParameter);
  return new Map(Array.from(matches, ([, place, type = ""]) => [Number(place) - 1, type]));
}

/** Undefined for elements without a binary form here, such as bytes that are written as text. */
export function encodeArray(items: readonly Item[], type: string | undefined): Buffer | undefined {
  if (type === "text") return encode(items.every(isText) ? items : items.map(toText), type);
  if (type === "bigint") return items.every(isInteger) ? encode(items, type) : undefined;
  return type === "bytea" && items.every(isBytes) ? encode(items, type) : undefined;
}

function isText(item: Item): item is string | null {
  return item === null || typeof item === "string";
}

function toText(item: Item): string | null {
  return isText(item) ? item : String(item);
}

function isInteger(item: Item): item is number | null {
  return item === null || Number.isSafeInteger(item);
}

function isBytes(item: Item): item is Uint8Array | null {
  return item === null || item instanceof Uint8Array;
}

type Encoded = null | number | string | Uint8Array;

const headBytes = 20;
const lengthBytes = 4;
const integerBytes = 8;
const lengthOfNull = -1;

/**
 * One dimension, counted from 1; then each element after its length. An element that repeats the one before it, such as
 * the organization of a row, is copied. `for … of` would allocate an object for each element, as the arrays are of
 * several kinds.
 */
function encode(items: readonly Encoded[], type: string): Buffer {
  const buffer = Buffer.allocUnsafe(items.length === 0 ? 12 : headBytes + countBytes(items));
  buffer.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(elementTypes[type] ?? 0, 8);
  if (items.length === 0) return buffer;
  buffer.writeInt32BE(items.length, 12);
  buffer.writeInt32BE(1, 16);
  let before: Encoded | undefined;
  let bytes = 0;
  let at = headBytes;
  items.forEach((item) => {
    if (item === before) buffer.copyWithin(at, at - bytes, at);
    else bytes = writeItem(buffer, item, at);
    before = item;
    at += bytes;
  });
  return buffer;
}

function countBytes(items: readonly Encoded[]): number {
  let before: Encoded | undefined;
  let bytes = 0;
  let sum = 0;
  items.forEach((item) => {
    if (item !== before) bytes = lengthBytes + sizeOf(item);
    before = item;
    sum += bytes;
  });
  return sum;
}

function sizeOf(item: Encoded): number {
  if (item === null) return 0;
  if (typeof item === "number") return integerBytes;
  return typeof item === "string" ? Buffer.byteLength(item) : item.length;
}

/** Returns how many bytes the element takes. */
function writeItem(buffer: Buffer, item: Encoded, at: number): number {
  const size = item === null ? 0 : write(buffer, item, at + lengthBytes);
  buffer.writeInt32BE(item === null ? lengthOfNull : size, at);
  return lengthBytes + size;
}

function write(buffer: Buffer, item: number | string | Uint8Array, start: number): number {
  if (typeof item === "string") return buffer.write(item, start);
  if (typeof item === "number") {
    buffer.writeBigInt64BE(BigInt(item), start);
    return integerBytes;
  }
  buffer.set(item, start);
  return item.length;
}
