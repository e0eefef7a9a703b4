// Finds what is in a page of a table although no statement can see it: rows that were deleted and not vacuumed, and
// bytes that vacuuming left in free space. Reads the page's own structures; knows nothing about tables or transactions.
//
// Page format: postgresql.org/docs/current/storage-page-layout.html. Bits of a row's header:
// src/include/access/htup_details.h.

import { unusedPart } from "./page-rows.ts";

export const pageBytes = 8_192;

const headerBytes = 24;
const pointerBytes = 4;
const normalPointer = 1;

const xmaxLockOnly = 0x00_80;
const xmaxCommitted = 0x04_00;
const xmaxInvalid = 0x08_00;

export interface PageFigures {
  /** Rows that were deleted, or replaced by a new version, and are still complete in the page. */
  readonly deadRows: number;
  /** Bytes of free space that are not zero. */
  readonly unusedBytes: number;
}

/** Counts what a page contains. Returns zero for a page that was never used, or that is invalid. */
export function inspectHeapPage(page: Buffer): PageFigures {
  const lower = page.readUInt16LE(12);
  const upper = page.readUInt16LE(14);
  if (lower < headerBytes || lower > upper || upper > page.length) {
    return { deadRows: 0, unusedBytes: 0 };
  }
  let deadRows = 0;
  for (let at = headerBytes; at < lower; at += pointerBytes) {
    const pointer = page.readUInt32LE(at);
    const offset = pointer & 0x7f_ff;
    const flags = (pointer >>> 15) & 0b11;
    if (flags === normalPointer && offset + 23 <= page.length && isDead(page, offset))
      deadRows += 1;
  }
  return { deadRows, unusedBytes: countUsed(unusedPart(page)) };
}

/** True unless the deletion of the row is known to be rolled back; its transaction may still be in progress. */
function isDead(page: Buffer, offset: number): boolean {
  const xmax = page.readUInt32LE(offset + 4);
  const bits = page.readUInt16LE(offset + 20);
  if (xmax === 0 || (bits & xmaxInvalid) !== 0 || (bits & xmaxLockOnly) !== 0) return false;
  return (bits & xmaxCommitted) !== 0 || xmax > 2;
}

function countUsed(bytes: Buffer): number {
  let used = 0;
  for (const byte of bytes) if (byte !== 0) used += 1;
  return used;
}
