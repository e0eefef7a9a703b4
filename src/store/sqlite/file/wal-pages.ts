// Reads which pages of the database are in the WAL, and remembers up to where it was read. Never reads the contents of
// pages, and never writes to the WAL.
//
// WAL format: sqlite.org/fileformat2.html#the_write_ahead_log. Whenever the WAL is restarted its salts change, so a
// position can be recognised as valid or lost. The frames of a transaction that was not committed are overwritten by
// the next one, so reading may only continue from a position up to which everything is committed.

import { readSync } from "node:fs";
import { openFile } from "../../../files/own-file.ts";

const headerBytes = 32;
const frameHeaderBytes = 24;
const frameBytes = frameHeaderBytes + 4_096;
const framesAtOnce = 128;

export interface WalPosition {
  /** The salts; undefined for an empty WAL and the first WAL after it. */
  readonly generation: string | undefined;
  readonly frames: number;
}

export interface WalPart {
  /** Up to where the WAL was read, including frames that may never be committed. */
  readonly position: WalPosition;
  /** Page numbers, as SQLite counts them from 1. */
  readonly pages: readonly number[];
}

export const emptyWalPosition: WalPosition = { generation: undefined, frames: 0 };

/** The start of the current WAL. */
export function findWalStart(path: string): WalPosition {
  using wal = openWal(path);
  return { ...emptyWalPosition, generation: readGeneration(wal.descriptor) };
}

/** The part after `from`; undefined if the WAL was restarted since then, so that the part is unknown. */
export function readWalPages(path: string, from: WalPosition): WalPart | undefined {
  using wal = openWal(path);
  const { descriptor } = wal;
  const generation = readGeneration(descriptor);
  if (from.generation === undefined && generation === undefined)
    return { position: from, pages: [] };
  if (generation === undefined || generation !== (from.generation ?? generation)) return undefined;
  const part = readFrames(descriptor, generation, from.frames);
  return readGeneration(descriptor) === generation ? part : undefined;
}

function readFrames(wal: number, generation: string, first: number): WalPart {
  const pages = new Set<number>();
  const buffer = Buffer.allocUnsafe(framesAtOnce * frameBytes);
  let frames = first;
  for (;;) {
    const at = headerBytes + frames * frameBytes;
    const whole = Math.floor(readSync(wal, buffer, 0, buffer.length, at) / frameBytes);
    let count = 0;
    while (count < whole) {
      const frame = buffer.subarray(count * frameBytes);
      if (frame.toString("hex", 8, 16) !== generation) break;
      pages.add(frame.readUInt32BE(0));
      count += 1;
    }
    frames += count;
    if (count < framesAtOnce) break;
  }
  return { position: { generation, frames }, pages: [...pages] };
}

function readGeneration(wal: number): string | undefined {
  const header = Buffer.alloc(headerBytes);
  if (readSync(wal, header, 0, headerBytes, 0) < headerBytes) return undefined;
  return header.toString("hex", 16, 24);
}

/** SQLite holds no lock on the WAL file itself, so closing a descriptor of it releases none. */
function openWal(path: string) {
  return openFile(`${path}-wal`, "r");
}
