// Splits a stream of bytes into lines, whatever the boundaries of its chunks, holding at most one bounded line back.

import { limits } from "../domain/limits.ts";

/** `bytes` is undefined for a line that was longer than the bound; its content was not kept. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const newline = 0x0a;

export class LineSplitter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #number = 0;

  /** The lines that end in this chunk; blank ones count but are left out. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#hold(chunk.subarray(from, end));
      this.#finishInto(lines);
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  /** The last line, if it did not end in a newline. */
  end(): Line[] {
    const lines: Line[] = [];
    if (this.#restBytes > 0) this.#finishInto(lines);
    return lines;
  }

  #hold(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes > limits.streamLineBytesMax) this.#rest = [];
    else if (part.length > 0) this.#rest.push(part);
  }

  #finishInto(lines: Line[]): void {
    this.#number += 1;
    const tooLong = this.#restBytes > limits.streamLineBytesMax;
    const bytes = tooLong ? undefined : Buffer.concat(this.#rest);
    this.#rest = [];
    this.#restBytes = 0;
    if (bytes === undefined || !isBlank(bytes)) lines.push({ number: this.#number, bytes });
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
