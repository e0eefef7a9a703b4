// Writes messages in the binary form of Protocol Buffers (protobuf.dev/programming-guides/encoding). A message is the object
// that JSON.stringify turns into its JSON form, so both forms of the protocol are made from one object. From the end to
// the beginning, because the length of a part precedes it.

/** `id`: bytes, as hex text. 64-bit integers are decimal text, as in the JSON form. */
export type Scalar = "string" | "bool" | "enum" | "fixed32" | "fixed64" | "int64" | "double" | "id";

export interface Field {
  readonly no: number;
  readonly type: Scalar | Fields;
  /** A list. Numbers are packed. */
  readonly repeated?: true;
}

/** The fields of a kind of message, by their names in JSON. */
export interface Fields {
  readonly [name: string]: Field;
}

export type Value = string | number | boolean | Message | readonly Value[];

/** Properties that are undefined are not written. */
export interface Message {
  readonly [name: string]: Value | undefined;
}

/** Throws TypeError for a property that the fields do not have, or that has another type. */
export function encode(fields: Fields, message: Message): Buffer {
  const writer = new BackwardWriter();
  writeMessage(writer, fields, message);
  return writer.bytes();
}

const wireType = { varint: 0, bits64: 1, lengthDelimited: 2, bits32: 5 } as const;

const wireTypes: Readonly<Record<Scalar, number>> = {
  string: wireType.lengthDelimited,
  id: wireType.lengthDelimited,
  bool: wireType.varint,
  enum: wireType.varint,
  int64: wireType.varint,
  fixed32: wireType.bits32,
  fixed64: wireType.bits64,
  double: wireType.bits64,
};

/** The order of fields on the wire is free. */
function writeMessage(writer: BackwardWriter, fields: Fields, message: Message): void {
  for (const name in message) {
    const value = message[name];
    if (value === undefined) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) throw new TypeError(`the message has no field ${name}`);
    if (field.repeated !== true) writeField(writer, field, value);
    else writeList(writer, field, asList(value));
  }
}

function writeList(writer: BackwardWriter, field: Field, values: readonly Value[]): void {
  const { no, type } = field;
  const isPacked = typeof type === "string" && wireTypes[type] !== wireType.lengthDelimited;
  const end = writer.length;
  for (let index = values.length - 1; index >= 0; index -= 1) {
    const value = values[index];
    if (value === undefined) continue;
    if (isPacked) writeScalar(writer, type, value);
    else writeField(writer, field, value);
  }
  if (isPacked && values.length > 0) writeLength(writer, no, end);
}

function writeField(writer: BackwardWriter, { no, type }: Field, value: Value): void {
  const end = writer.length;
  if (typeof type !== "string") writeMessage(writer, type, asMessage(value));
  else writeScalar(writer, type, value);
  const wire = typeof type === "string" ? wireTypes[type] : wireType.lengthDelimited;
  if (wire === wireType.lengthDelimited) writeLength(writer, no, end);
  else writer.varint(no * 8 + wire);
}

/** Of what was written since `end`. */
function writeLength(writer: BackwardWriter, no: number, end: number): void {
  writer.varint(writer.length - end);
  writer.varint(no * 8 + wireType.lengthDelimited);
}

function writeScalar(writer: BackwardWriter, type: Scalar, value: Value): void {
  if (type === "string") writer.text(asText(value), "utf8");
  else if (type === "id") writer.text(asText(value), "hex");
  else if (type === "fixed64") writer.fixed64(BigInt(asText(value)));
  else if (type === "int64") writer.varint64(BigInt.asUintN(64, BigInt(asText(value))));
  else if (type === "bool") writer.varint(value === true ? 1 : 0);
  else if (type === "fixed32") writer.fixed32(asNumber(value));
  else if (type === "double") writer.double(asNumber(value));
  else writer.varint(asNumber(value));
}

function asText(value: Value): string {
  if (typeof value === "string") return value;
  throw new TypeError("a text was expected");
}

function asNumber(value: Value): number {
  if (typeof value === "number") return value;
  throw new TypeError("a number was expected");
}

function asMessage(value: Value): Message {
  if (typeof value === "object" && !isList(value)) return value;
  throw new TypeError("a message was expected");
}

function asList(value: Value): readonly Value[] {
  if (isList(value)) return value;
  throw new TypeError("a list was expected");
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

const firstBytes = 16 * 1_024;

/** Grows towards its beginning. */
class BackwardWriter {
  #buffer = Buffer.allocUnsafe(firstBytes);
  #start = firstBytes;

  get length(): number {
    return this.#buffer.length - this.#start;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  text(text: string, encoding: "utf8" | "hex"): void {
    const bytes = encoding === "hex" ? text.length / 2 : Buffer.byteLength(text);
    const at = this.#reserve(bytes);
    this.#buffer.write(text, at, encoding);
  }

  double(value: number): void {
    const at = this.#reserve(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  fixed64(value: bigint): void {
    const at = this.#reserve(8);
    this.#buffer.writeBigUInt64LE(value, at);
  }

  fixed32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  varint(value: number): void {
    let bytes = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
    let at = this.#reserve(bytes);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.#buffer[at] = (rest % 128) | 128;
      at += 1;
    }
    this.#buffer[at] = rest;
  }

  varint64(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = value; rest > 0n || bytes.length === 0; rest >>= 7n) {
      bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    }
    const at = this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** Where the next bytes begin. May replace the buffer. */
  #reserve(bytes: number): number {
    if (bytes > this.#start) this.#grow(bytes);
    this.#start -= bytes;
    return this.#start;
  }

  #grow(bytes: number): void {
    const used = this.length;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(larger, larger.length - used, this.#start);
    this.#start = larger.length - used;
    this.#buffer = larger;
  }
}
