// A set of page numbers of the database file. Knows nothing about what is in the pages.

const smallestBytes = 4_096;

/** One bit for each page, because nearly all pages of a large file may be in it. */
export class PageSet {
  #bits: Buffer;
  #size = 0;

  /** The pages 1 up to a number, and perhaps a few after it. */
  static upTo(pages: number): PageSet {
    const bits = Buffer.alloc((pages >>> 3) + 1, 0xff);
    // SQLite counts pages from 1.
    bits.writeUInt8(0xfe, 0);
    return new PageSet(bits);
  }

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
      this.#set(at, (this.#bits[at] ?? 0) | (1 << (page & 7)));
    }
  }

  /** Removes the first pages, at least `pagesMax` if there are so many, and at most seven more; returns them. */
  take(pagesMax: number): PageSet {
    const taken = new PageSet();
    for (const [at, byte] of this.#bits.entries()) {
      if (taken.size >= pagesMax) break;
      if (byte === 0) continue;
      taken.#set(at, byte);
      this.#set(at, 0);
    }
    return taken;
  }

  /** In their order. */
  *[Symbol.iterator](): Generator<number> {
    for (const [at, byte] of this.#bits.entries()) {
      if (byte === 0) continue;
      for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit;
    }
  }

  #set(at: number, byte: number): void {
    if (at >= this.#bits.length) this.#grow(at + 1);
    this.#size += countOf(byte) - countOf(this.#bits[at] ?? 0);
    this.#bits[at] = byte;
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
