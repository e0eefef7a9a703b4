// Reads which pages of the database the write-ahead log holds, and from where to where it has been read. Never reads what is
// on them, and never writes to the log.
//
// Log format: sqlite.org/fileformat2.html#the_write_ahead_log. Each time that the log begins anew it has other salts, so a
// place in it can be recognised, or seen to be gone. What a transaction wrote that was not committed is overwritten by the
// next one; so only a place up to which all is committed is one to go on from.

import { closeSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
const frameBytes = frameHeaderBytes + 4_096;
const framesAtOnce = 128;

export interface LogPlace {
  /** The salts; undefined for a log that was empty, and whatever log comes first after that. */
  readonly generation: string | undefined;
  readonly frames: number;
}

export interface LogPart {
  /** Up to where the log was read, also what may never be committed. */
  readonly place: LogPlace;
  /** Page numbers, as SQLite counts them from 1. */
  readonly pages: readonly number[];
}

export const emptyLogPlace: LogPlace = { generation: undefined, frames: 0 };

/** Where the log as it now is begins. */
export function findLogStart(path: string): LogPlace {
  return readLog(path, (log) => ({ ...emptyLogPlace, generation: readGeneration(log) }));
}

/** What came after `from`; undefined if the log has begun anew since, so that nobody knows any more what came. */
export function readLogPages(path: string, from: LogPlace): LogPart | undefined {
  return readLog(path, (log) => {
    const generation = readGeneration(log);
    if (from.generation === undefined && generation === undefined)
      return { place: from, pages: [] };
    if (generation === undefined || generation !== (from.generation ?? generation))
      return undefined;
    const part = readFrames(log, generation, from.frames);
    return readGeneration(log) === generation ? part : undefined;
  });
}

function readFrames(log: number, generation: string, first: number): LogPart {
  const pages = new Set<number>();
  const buffer = Buffer.allocUnsafe(framesAtOnce * frameBytes);
  let frames = first;
  for (;;) {
    const at = headerBytes + frames * frameBytes;
    const whole = Math.floor(readSync(log, buffer, 0, buffer.length, at) / frameBytes);
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
  return { place: { generation, frames }, pages: [...pages] };
}

function readGeneration(log: number): string | undefined {
  const header = Buffer.alloc(headerBytes);
  if (readSync(log, header, 0, headerBytes, 0) < headerBytes) return undefined;
  return header.toString("hex", 16, 24);
}

/** SQLite holds no lock on the log itself, so closing a descriptor of it takes none away. */
function readLog<Result>(path: string, read: (log: number) => Result): Result {
  const log = openSync(`${path}-wal`, "r");
  try {
    return read(log);
  } finally {
    closeSync(log);
  }
}
