// Finds and scrubs the residue that SQLite leaves in the free space of its pages. `secure_delete` overwrites a cell
// that is removed, but not the copies that rebuilding a page leaves where the cell was before (btree.c, rebuildPage),
// so about one erased record in a hundred would stay readable in the file. Never touches a byte that SQLite uses.
//
// Why writing to the file is safe: Nobody else changes it, because the caller holds the write lock while the WAL is
// empty, or has frozen checkpoints (checkpoint-freeze.ts); SQLite does not read the bytes between a page's cell
// pointers and its cells; and a torn write of zeros leaves these bytes zero or unchanged.
//
// Page format: sqlite.org/fileformat2.html#b_tree_pages.

import { fstatSync, fsyncSync, readSync, writeSync } from "node:fs";

const pageBytes = 4_096;
const pagesAtOnce = 512;
const zeros = Buffer.alloc(pageBytes);
const largestRootAt = 52;
/** A page of the pointer map, and the pages for which it has entries of five bytes. */
const pagesPerMap = 1 + Math.floor(pageBytes / 5);
/** The page at 1 GiB is never used (sqlite.org/fileformat2.html#lockbyte). */
const lockPage = 0x4000_0000 / pageBytes + 1;

/** The length of a page's header, by its first byte, which is the kind of the page. */
const headerBytes: ReadonlyMap<number, number> = new Map([
  [0x02, 12],
  [0x05, 12],
  [0x0a, 8],
  [0x0d, 8],
]);

interface Gap {
  readonly page: number;
  /** Where it is in the file. */
  readonly start: number;
  readonly bytes: number;
}

/** The pages of the whole file that have residue, as SQLite counts them from 1. Needs no lock. */
export function findAllResidue(descriptor: number): readonly number[] {
  const pages = Math.floor(fstatSync(descriptor).size / pageBytes);
  const all = Array.from({ length: pages }, (_, index) => index + 1);
  return Array.from(findGaps(descriptor, all), ({ page }) => page);
}

/** When it returns, the zeros are on stable storage. Returns how many of the pages had residue. */
export function scrubResidue(descriptor: number, pages: Iterable<number>): number {
  let scrubbed = 0;
  for (const { start, bytes } of findGaps(descriptor, pages)) {
    writeSync(descriptor, zeros, 0, bytes, start);
    scrubbed += 1;
  }
  // If nothing was found, too: pages that a killed process has scrubbed may not be on stable storage yet.
  fsyncSync(descriptor);
  return scrubbed;
}

/** The free space with residue in these pages of the file. */
function* findGaps(descriptor: number, pages: Iterable<number>): Generator<Gap> {
  const isMap = pointerMapOf(descriptor);
  const buffer = Buffer.allocUnsafe(pagesAtOnce * pageBytes);
  for (const { first, count } of runsOf(pages)) {
    const at = (first - 1) * pageBytes;
    const read = readSync(descriptor, buffer, 0, count * pageBytes, at);
    for (let index = 0; (index + 1) * pageBytes <= read; index += 1) {
      const page = first + index;
      if (page === 1 || isMap(page)) continue;
      const from = index * pageBytes;
      const gap = residueOf(buffer.subarray(from, from + pageBytes));
      if (gap !== undefined) {
        yield { page, start: at + from + gap.start, bytes: gap.end - gap.start };
      }
    }
  }
}

/** Neighbours, which are read together. */
function* runsOf(pages: Iterable<number>) {
  let [first, count] = [0, 0];
  for (const page of pages) {
    if (page === first + count && count < pagesAtOnce) {
      count += 1;
      continue;
    }
    if (count > 0) yield { first, count };
    [first, count] = [page, 1];
  }
  if (count > 0) yield { first, count };
}

/**
 * Recognises the pages of the pointer map, whose first byte may look like a kind of page. Only a file
 * that somebody has made so has them: its header names the largest root page, which is 0 in other files
 * (sqlite.org/fileformat2.html#pointer_map).
 */
function pointerMapOf(descriptor: number): (page: number) => boolean {
  const largestRoot = Buffer.alloc(4);
  readSync(descriptor, largestRoot, 0, 4, largestRootAt);
  if (largestRoot.readUInt32BE(0) === 0) return () => false;
  return (page) => {
    const map = page - ((page - 2) % pagesPerMap);
    return page === (map === lockPage ? map + 1 : map);
  };
}

/**
 * The free space of a tree page, if it is not all zeros. Other pages begin with a page number, which is too small for
 * its first byte to be mistaken for a kind (pagesMax in connection.ts), and SQLite overwrites them whole. Page 1 begins
 * with the header of the file and contains only the schema.
 */
function residueOf(page: Buffer): { readonly start: number; readonly end: number } | undefined {
  const header = headerBytes.get(page.readUInt8(0));
  if (header === undefined) return undefined;
  const start = header + 2 * page.readUInt16BE(3);
  const end = page.readUInt16BE(5);
  if (start >= end || end > pageBytes) return undefined;
  return zeros.compare(page, start, end, 0, end - start) === 0 ? undefined : { start, end };
}
