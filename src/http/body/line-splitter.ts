// Splits a stream of bytes into lines, wherever its chunks end. Buffers at most one line of bounded length, so that
// many small chunks take no more memory than one large chunk.

import { limits } from "../../domain/limits.ts";

/** `bytes` is undefined for a line longer than the bound; its content was dropped. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const newline = 0x0a;

export class LineSplitter {
  /** The beginning of a line that has not ended, in a buffer for the longest line. */
  #held: Buffer | undefined;
  /** The length so far of that line. One that is too long is not held. */
  #heldBytes = 0;
  #number = 0;

  /** Blank lines are numbered, but not returned. A line may share the chunk's memory. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (end === from && this.#heldBytes === 0) this.#number += 1;
      else this.#finishInto(lines, chunk.subarray(from, end));
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    if (this.#heldBytes > 0) this.#finishInto(lines, Buffer.alloc(0));
    return lines;
  }

  #hold(part: Buffer): void {
    const before = this.#heldBytes;
    this.#heldBytes += part.length;
    if (part.length === 0 || this.#heldBytes > limits.streamLineBytesMax) return;
    this.#held ??= Buffer.allocUnsafeSlow(limits.streamLineBytesMax);
    part.copy(this.#held, before);
  }

  #finishInto(lines: Line[], rest: Buffer): void {
    this.#number += 1;
    const bytes = this.#heldBytes === 0 ? rest : this.#take(rest);
    const number = this.#number;
    if (bytes === undefined || bytes.length > limits.streamLineBytesMax) {
      lines.push({ number, bytes: undefined });
    } else if (!isBlank(bytes)) lines.push({ number, bytes });
  }

  /** The held line with its rest; undefined if it is too long. */
  #take(rest: Buffer): Buffer | undefined {
    this.#hold(rest);
    const length = this.#heldBytes;
    this.#heldBytes = 0;
    if (length > limits.streamLineBytesMax) return undefined;
    return Buffer.from(this.#held?.subarray(0, length) ?? rest);
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
