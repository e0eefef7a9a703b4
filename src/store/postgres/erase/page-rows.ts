// Reads the texts in the rows of a heap page and in the entries of a B-tree page, including dead ones, column by
// column, so that whole values can be compared. Reads the page's own structures; knows nothing about tables or
// transactions.
//
// Formats: postgresql.org/docs/current/storage-page-layout.html; src/include/access/htup_details.h, itup.h, nbtree.h
// and src/include/varatt.h. The byte order is that of the server's machine, which is assumed to be little-endian.

export interface ColumnLayout {
  readonly name: string;
  /** In bytes; -1 for a text or another value of variable length. */
  readonly length: number;
  /** 1, 2, 4 or 8: a value begins at a multiple of this. */
  readonly align: number;
}

export type PageKind = "heap" | "index";

/** The text of each column that is not NULL; undefined for a value that is compressed or stored separately (TOAST). */
export type RowTexts = ReadonlyMap<string, string | undefined>;

const headerBytes = 24;
const pointerBytes = 4;
const indexHeaderBytes = 8;
const toastPointerBytes = 18;

/** The free space between the row pointers and the rows. */
export function unusedPart(page: Buffer): Buffer {
  const lower = page.readUInt16LE(12);
  const upper = page.readUInt16LE(14);
  const isSound = lower >= headerBytes && lower <= upper && upper <= page.length;
  return isSound ? page.subarray(lower, upper) : Buffer.alloc(0);
}

export function* readRows(
  page: Buffer,
  kind: PageKind,
  columns: readonly ColumnLayout[],
): Iterable<RowTexts> {
  if (kind === "index" && !hasEntries(page)) return;
  for (const item of readItems(page)) {
    const place = kind === "heap" ? placeInRow(page, item) : placeInEntry(page, item, columns);
    if (place !== undefined) yield readTexts(page, place, columns);
  }
}

interface Item {
  readonly at: number;
  readonly end: number;
}

/** The items of all row pointers in use, including dead ones. */
function* readItems(page: Buffer): Iterable<Item> {
  const lower = page.readUInt16LE(12);
  if (lower > page.length) return;
  for (let at = headerBytes; at + pointerBytes <= lower; at += pointerBytes) {
    const pointer = page.readUInt32LE(at);
    const item = { at: pointer & 0x7f_ff, end: (pointer & 0x7f_ff) + (pointer >>> 17) };
    const isUsed = ((pointer >>> 15) & 0b01) === 1 && item.end > item.at;
    if (isUsed && item.at >= lower && item.end <= page.length) yield item;
  }
}

const treeMeta = 0x08;
const treeDeleted = 0x04;

/** False for the first page of a B-tree and for deleted pages, which contain something else. */
function hasEntries(page: Buffer): boolean {
  const special = page.readUInt16LE(16);
  if (special + 16 > page.length) return false;
  return (page.readUInt16LE(special + 12) & (treeMeta | treeDeleted)) === 0;
}

/** Where the values of a row are, and how many columns it has. */
interface Place {
  readonly at: number;
  readonly end: number;
  readonly columns: number;
  /** The offset of the bitmap of non-NULL values; undefined if there are no NULLs. */
  readonly presentAt: number | undefined;
}

function placeInRow(page: Buffer, { at, end }: Item): Place | undefined {
  if (at + 23 > end) return undefined;
  const hasNull = (page.readUInt16LE(at + 20) & 0x00_01) !== 0;
  return {
    at: at + page.readUInt8(at + 22),
    end,
    columns: page.readUInt16LE(at + 18) & 0x07_ff,
    presentAt: hasNull ? at + 23 : undefined,
  };
}

const alternative = 0x20_00;
const isPostingList = 0x20_00;

/** Inner pages and high keys contain only the first columns of a key; duplicates share one entry. */
function placeInEntry(
  page: Buffer,
  { at, end }: Item,
  { length: columns }: readonly ColumnLayout[],
): Place | undefined {
  if (at + indexHeaderBytes > end) return undefined;
  const info = page.readUInt16LE(at + 6);
  const hasNull = (info & 0x80_00) !== 0;
  const place = {
    at: at + (hasNull ? 2 * indexHeaderBytes : indexHeaderBytes),
    end,
    columns,
    presentAt: hasNull ? at + indexHeaderBytes : undefined,
  };
  if ((info & alternative) === 0) return place;
  const which = page.readUInt16LE(at + 4);
  if ((which & isPostingList) === 0) return { ...place, columns: which & 0x0f_ff };
  return { ...place, end: Math.min(end, at + page.readUInt16LE(at + 2)) };
}

function readTexts(page: Buffer, place: Place, columns: readonly ColumnLayout[]): RowTexts {
  const texts = new Map<string, string | undefined>();
  let at = place.at;
  for (const [index, { name, length, align }] of columns.slice(0, place.columns).entries()) {
    if (!isPresent(page, place, index)) continue;
    if (length >= 0) {
      at = roundUp(at, align) + length;
      continue;
    }
    // A value with a one-byte header is not aligned; zero bytes before any other value are padding.
    if (at < place.end && page.readUInt8(at) === 0) at = roundUp(at, align);
    const value = readVarying(page, at, place.end);
    if (value === undefined) break;
    texts.set(name, value.text);
    at = value.end;
  }
  return texts;
}

function isPresent(page: Buffer, { presentAt }: Place, index: number): boolean {
  if (presentAt === undefined) return true;
  return ((page.readUInt8(presentAt + (index >>> 3)) >>> (index & 7)) & 1) === 1;
}

function roundUp(at: number, align: number): number {
  return Math.ceil(at / align) * align;
}

interface Varying {
  readonly end: number;
  /** Undefined if the value is compressed or not in this page. */
  readonly text: string | undefined;
}

/** Undefined if these bytes can't be a value. */
function readVarying(page: Buffer, at: number, end: number): Varying | undefined {
  if (at >= end) return undefined;
  const first = page.readUInt8(at);
  if (first === 1) return { end: at + toastPointerBytes, text: undefined };
  if ((first & 1) === 1) return cut(page, at + 1, Math.min(at + (first >>> 1), end));
  if (at + 4 > end) return undefined;
  const head = page.readUInt32LE(at);
  const valueEnd = at + (head >>> 2);
  if (head >>> 2 < 4 || valueEnd > end) return undefined;
  return (head & 0b11) === 0 ? cut(page, at + 4, valueEnd) : { end: valueEnd, text: undefined };
}

function cut(page: Buffer, from: number, end: number): Varying {
  return { end, text: page.toString("utf8", from, end) };
}

/** The bytes of a text in a row, with its length before it. */
export function storedForm(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 127) return Buffer.concat([Buffer.of(((bytes.length + 1) << 1) | 1), bytes]);
  const head = Buffer.alloc(4);
  head.writeUInt32LE((bytes.length + 4) << 2);
  return Buffer.concat([head, bytes]);
}
