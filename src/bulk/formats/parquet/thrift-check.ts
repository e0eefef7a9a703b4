// Checks a structure of Thrift's compact protocol before the library parses it: every length against the remaining
// bytes, and the number of values and the depth against bounds. Returns none of the values.

/** The deepest part of a footer, a statistic of a column of a row group, is at depth 6. */
const depthMax = 16;
/** Ten bytes are 70 bits; more would only cost time. */
const integerBytesMax = 10;

/** Returns where the structure ends. Throws if it is damaged, too deep, or has too many values. */
export function checkThrift(bytes: Uint8Array, valuesMax: number): number {
  const check = new Check(bytes, valuesMax);
  check.structure(0);
  return check.offset;
}

class Check {
  readonly #bytes: Uint8Array;
  #valuesLeft: number;
  offset = 0;

  constructor(bytes: Uint8Array, valuesMax: number) {
    this.#bytes = bytes;
    this.#valuesLeft = valuesMax;
  }

  structure(depth: number): void {
    if (depth > depthMax) throw new Error(`its metadata is more than ${depthMax} levels deep`);
    for (;;) {
      const head = this.#byte();
      if ((head & 0x0f) === 0) return;
      if (head >> 4 === 0) this.#integer();
      this.#value(head & 0x0f, depth);
    }
  }

  #value(type: number, depth: number): void {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw new Error("its metadata has too many values");
    // The type contains true and false.
    if (type === 1 || type === 2) return;
    if (type === 3) this.#skip(1);
    else if (type <= 6) this.#integer();
    else if (type === 7) this.#skip(8);
    else if (type === 8) this.#skip(this.#integer());
    else if (type === 9) this.#list(depth);
    else if (type === 12) this.structure(depth + 1);
    else throw new Error(`its metadata has a value of the unknown type ${type}`);
  }

  #list(depth: number): void {
    const head = this.#byte();
    const type = head & 0x0f;
    const size = head >> 4 === 15 ? this.#integer() : head >> 4;
    // Each item has at least one byte.
    if (size > this.#bytes.length - this.offset) throw tooShort();
    for (let index = 0; index < size; index += 1) {
      this.#value(type === 1 || type === 2 ? 3 : type, depth + 1);
    }
  }

  #integer(): number {
    let value = 0;
    for (let index = 0; index < integerBytesMax; index += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw new Error("its metadata has an integer that is too long");
  }

  #byte(): number {
    const byte = this.#bytes[this.offset];
    if (byte === undefined) throw tooShort();
    this.offset += 1;
    return byte;
  }

  #skip(count: number): void {
    if (count > this.#bytes.length - this.offset) throw tooShort();
    this.offset += count;
  }
}

export class ThriftTooShort extends Error {}

function tooShort(): ThriftTooShort {
  return new ThriftTooShort("its metadata ends too early");
}
