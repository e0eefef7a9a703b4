// A set of pages of the database file, one bit each, because nearly all pages of a large file may be in it.

const smallestBytes = 4_096;

export class PageSet {
  #bits: Buffer;
  #size = 0;

  /** Makes a set from the bits of another one. */
  constructor(bits: Uint8Array = Buffer.alloc(smallestBytes)) {
    this.#bits = Buffer.from(bits);
    for (const byte of this.#bits) this.#size += countOf(byte);
  }

  get size(): number {
    return this.#size;
  }

  get bits(): Uint8Array {
    return this.#bits;
  }

  add(pages: readonly number[]): void {
    for (const page of pages) {
      const at = page >>> 3;
      if (at >= this.#bits.length) this.#grow(at + 1);
      const before = this.#bits[at] ?? 0;
      const after = before | (1 << (page & 7));
      if (after === before) continue;
      this.#bits[at] = after;
      this.#size += 1;
    }
  }

  list(): readonly number[] {
    const pages: number[] = [];
    for (const [at, byte] of this.#bits.entries()) {
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) pages.push(at * 8 + bit);
    }
    return pages;
  }

  #grow(bytes: number): void {
    this.#bits = Buffer.concat([this.#bits], Math.max(bytes, this.#bits.length * 2));
  }
}

function countOf(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
}
