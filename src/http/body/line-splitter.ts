// Splits a stream of bytes into lines, wherever its chunks end. Buffers at most one line of bounded length, so that
// many small chunks take no more memory than one large chunk.

import { limits } from "../../domain/limits.ts";

/** `bytes` is undefined for a line longer than the bound; its content was dropped. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const newline = 0x0a;
const heldBytesMin = 1_024;

export class LineSplitter {
  #held: Buffer = Buffer.alloc(0);
  /** The length so far of the line that has not ended. A line that is too long is not held. */
  #lineBytes = 0;
  #number = 0;

  /**
   * Returns the lines that end in this chunk. Blank lines are numbered, but not returned. A line may share the chunk's
   * memory.
   */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (end === from && this.#lineBytes === 0) this.#number += 1;
      else this.#finishInto(lines, chunk.subarray(from, end));
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  /** The last line, if it does not end with a newline. */
  end(): Line[] {
    const lines: Line[] = [];
    if (this.#lineBytes > 0) this.#finishInto(lines, Buffer.alloc(0));
    return lines;
  }

  #hold(part: Buffer): void {
    const before = this.#lineBytes;
    this.#lineBytes += part.length;
    if (this.#lineBytes > limits.streamLineBytesMax) {
      this.#held = Buffer.alloc(0);
      return;
    }
    if (this.#lineBytes > this.#held.length) this.#held = this.#enlarged(before);
    part.copy(this.#held, before);
  }

  /** Returns a buffer at least twice as large, so that each byte is copied a bounded number of times. */
  #enlarged(used: number): Buffer {
    const wanted = Math.max(this.#lineBytes, this.#held.length * 2, heldBytesMin);
    const larger = Buffer.allocUnsafeSlow(Math.min(wanted, limits.streamLineBytesMax));
    this.#held.copy(larger, 0, 0, used);
    return larger;
  }

  #finishInto(lines: Line[], rest: Buffer): void {
    this.#number += 1;
    const bytes = this.#finish(rest);
    if (bytes === undefined || !isBlank(bytes)) lines.push({ number: this.#number, bytes });
  }

  #finish(rest: Buffer): Buffer | undefined {
    const isWhole = this.#lineBytes === 0;
    if (!isWhole) this.#hold(rest);
    const length = isWhole ? rest.length : this.#lineBytes;
    const bytes = isWhole ? rest : this.#held.subarray(0, length);
    this.#lineBytes = 0;
    if (!isWhole) this.#held = Buffer.alloc(0);
    return length > limits.streamLineBytesMax ? undefined : bytes;
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
