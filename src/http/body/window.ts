// Finds how many decoded bytes a decoder keeps in memory: the window that a zstd frame (RFC 8878, section 3.1) or a
// brotli stream (RFC 7932, section 9.1) declares. Decodes nothing.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

/** How far back gzip refers at most (RFC 1951, section 2). */
const gzipWindowBytes = 32 * 1_024;

export interface Window {
  readonly bytes: number;
  /** Call with all bytes of the body, before the decoder gets them. Throws AppError too_large. */
  push(chunk: Buffer): void;
}

export function makeWindow(encoding: string): Window {
  if (encoding === "zstd") return new ZstdFrames();
  return encoding === "br" ? new BrotliHead() : { bytes: gzipWindowBytes, push: () => undefined };
}

class BrotliHead implements Window {
  bytes = 0;

  push(chunk: Buffer): void {
    const [first] = chunk;
    if (this.bytes === 0 && first !== undefined) this.bytes = 2 ** brotliWindowBits(first);
  }
}

/** An invalid header, which the decoder will not accept, counts as 16 or 17. */
function brotliWindowBits(first: number): number {
  if (first % 2 === 0) return 16;
  const high = (first >> 1) & 7;
  if (high > 0) return 17 + high;
  const low = (first >> 4) & 7;
  return low > 1 ? 8 + low : 17;
}

const magicOfFrame = 0xfd_2f_b5_28;
/** The magic number of skippable frames, without the last four bits. */
const magicOfSkipped = 0x18_4d_2a_50;
/** Magic number, descriptor, window, dictionary and content size. */
const headBytesMax = 18;
/** How many frames any body may have; a body may have more if it has this many bytes for each of them. */
const freeFrames = 1_024;
export const bytesPerFrameMin = 32;

type Part = "frame" | "block";

class ZstdFrames implements Window {
  bytes = 0;
  readonly #held = Buffer.alloc(headBytesMax);
  #heldBytes = 0;
  #skip = 0;
  #part: Part = "frame";
  #checksumBytes = 0;
  #received = 0;
  #frames = 0;
  /** True once the bytes are no frames; the decoder reports that error. */
  #isOver = false;

  push(chunk: Buffer): void {
    this.#received += chunk.length;
    for (let at = 0; at < chunk.length && !this.#isOver;) {
      const skipped = Math.min(this.#skip, chunk.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (at < chunk.length) at += this.#hold(chunk, at);
    }
  }

  #hold(chunk: Buffer, from: number): number {
    const needed = this.#part === "block" ? 3 : this.#headBytes();
    const taken = Math.min(needed - this.#heldBytes, chunk.length - from);
    chunk.copy(this.#held, this.#heldBytes, from, from + taken);
    this.#heldBytes += taken;
    if (this.#heldBytes < needed) return taken;
    if (this.#part === "block") this.#readBlock();
    else if (needed === this.#headBytes()) this.#readFrame();
    return taken;
  }

  #headBytes(): number {
    if (this.#heldBytes < 5) return 5;
    if (this.#isSkippable()) return 8;
    const descriptor = this.#held[4] ?? 0;
    const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0;
    return 5 + (isSingle(descriptor) ? 0 : 1) + dictionary + contentSizeBytes(descriptor);
  }

  #isSkippable(): boolean {
    return (this.#held.readUInt32LE(0) & 0xff_ff_ff_f0) >>> 0 === magicOfSkipped;
  }

  #readFrame(): void {
    this.#frames += 1;
    if (this.#frames > freeFrames + this.#received / bytesPerFrameMin) throw tooManyFrames();
    this.#heldBytes = 0;
    const head = this.#held;
    if (this.#isSkippable()) {
      this.#skip = head.readUInt32LE(4);
      return;
    }
    if (head.readUInt32LE(0) !== magicOfFrame) {
      this.#isOver = true;
      return;
    }
    const descriptor = head[4] ?? 0;
    const declared = isSingle(descriptor)
      ? contentSizeOf(head, descriptor)
      : windowOf(head[5] ?? 0);
    this.bytes = Math.max(this.bytes, Math.min(declared, 2 ** limits.zstdWindowLogMax));
    this.#checksumBytes = (descriptor & 4) === 0 ? 0 : 4;
    this.#part = "block";
  }

  /** RFC 8878, section 3.1.1.2: the last block is marked, and a repeated byte is stored once. */
  #readBlock(): void {
    this.#heldBytes = 0;
    const head = this.#held.readUIntLE(0, 3);
    const isRepeated = ((head >> 1) & 3) === 1;
    this.#skip = isRepeated ? 1 : head >> 3;
    if ((head & 1) === 0) return;
    this.#skip += this.#checksumBytes;
    this.#part = "frame";
  }
}

function isSingle(descriptor: number): boolean {
  return (descriptor & 0x20) !== 0;
}

function contentSizeBytes(descriptor: number): number {
  const flag = descriptor >> 6;
  return flag === 0 ? (isSingle(descriptor) ? 1 : 0) : 2 ** flag;
}

function contentSizeOf(head: Buffer, descriptor: number): number {
  const bytes = contentSizeBytes(descriptor);
  const from = 5 + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  if (bytes === 8) return Number(head.readBigUInt64LE(from));
  return head.readUIntLE(from, bytes) + (bytes === 2 ? 256 : 0);
}

/** RFC 8878, section 3.1.1.1.2. */
function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function tooManyFrames(): AppError {
  return new AppError("too_large", {
    message: `A zstd body may have one frame for each ${bytesPerFrameMin} bytes; write more into each frame.`,
  });
}
