// A set of small whole numbers, with one bit for each, because it may have nearly all of many millions.

const smallestBytes = 4_096;

export class NumberSet {
  #bits: Buffer;
  #size = 0;

  /** The numbers 1 up to `last`, and perhaps a few after it. */
  static upTo(last: number): NumberSet {
    const bits = Buffer.alloc((last >>> 3) + 1, 0xff);
    bits.writeUInt8(0xfe, 0);
    return new NumberSet(bits);
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

  add(numbers: readonly number[]): void {
    for (const number of numbers) {
      const at = number >>> 3;
      this.#set(at, (this.#bits[at] ?? 0) | (1 << (number & 7)));
    }
  }

  has(number: number): boolean {
    return ((this.#bits[number >>> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }

  /** Removes the first numbers, at least `numbersMax` if there are so many, and at most seven more; returns them. */
  take(numbersMax: number): NumberSet {
    const taken = new NumberSet();
    for (const [at, byte] of this.#bits.entries()) {
      if (taken.size >= numbersMax) break;
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
