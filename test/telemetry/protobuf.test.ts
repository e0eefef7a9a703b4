// The encoder of OTLP messages against a library that decodes them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import protobuf from "protobufjs";
import { encode, type Fields, type Message } from "../../src/telemetry/otlp/protobuf.ts";

const { root } = protobuf.parse(`syntax = "proto3";
  message Part { string text = 1; repeated Part parts = 2; }
  message All {
    string text = 1; bytes id = 2; bool flag = 3; int32 kind = 4; fixed32 flags = 16;
    fixed64 time = 1000; int64 whole = 6; double fraction = 7;
    repeated fixed64 counts = 8; repeated double bounds = 9; repeated string names = 10; Part part = 11;
  }`);
const type = root.lookupType("All");

const part: { -readonly [Name in keyof Fields]: Fields[Name] } = {
  text: { no: 1, type: "string" },
};
part["parts"] = { no: 2, type: part, repeated: true };

const fields: Fields = {
  text: { no: 1, type: "string" },
  id: { no: 2, type: "id" },
  flag: { no: 3, type: "bool" },
  kind: { no: 4, type: "enum" },
  flags: { no: 16, type: "fixed32" },
  time: { no: 1_000, type: "fixed64" },
  whole: { no: 6, type: "int64" },
  fraction: { no: 7, type: "double" },
  counts: { no: 8, type: "fixed64", repeated: true },
  bounds: { no: 9, type: "double", repeated: true },
  names: { no: 10, type: "string", repeated: true },
  part: { no: 11, type: part },
};

const unsigned = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const text = fc.string({ unit: "binary", maxLength: 300 });
const partOf = (inner: fc.Arbitrary<Message>) =>
  fc.record({ text, parts: fc.array(inner, { maxLength: 3 }) });
const parts = partOf(partOf(fc.record({ text, parts: fc.constant([]) })));
const message = fc.record({
  text: fc.string({ unit: "binary", maxLength: 20_000 }),
  id: fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  flag: fc.boolean(),
  kind: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  time: unsigned,
  whole: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fraction: fc.double({ noNaN: true }),
  counts: fc.array(unsigned),
  bounds: fc.array(fc.double({ noNaN: true })),
  names: fc.array(fc.string()),
  part: parts,
});

describe("an encoded message", () => {
  it("is decoded to what it was", () => {
    fc.assert(
      fc.property(message, (given) => {
        const options = { longs: String, bytes: Array, defaults: true };
        const found = type.toObject(type.decode(encode(fields, given)), options);
        const id = [...Buffer.from(given.id, "hex")];
        assert.deepEqual(withLists(found), withLists({ ...given, id }));
      }),
      { numRuns: 200 },
    );
  });

  it("may be larger than its first buffer, wherever that ends", () => {
    for (let length = 16_300; length < 16_400; length += 1) {
      const given = {
        bounds: [0.5, -1],
        counts: ["1", "2"],
        flags: 7,
        id: "0a0b",
        names: ["first", "second"],
        text: "t".repeat(length),
        whole: "-1",
      };
      const reversed = Object.fromEntries(Object.entries(given).toReversed());
      for (const order of [given, reversed]) {
        const found = type.toObject(type.decode(encode(fields, order)), { longs: String });
        const id = Buffer.from(given.id, "hex");
        assert.deepEqual(
          { ...found, id: Buffer.from(found["id"] as Uint8Array) },
          { ...given, id },
        );
      }
    }
  });

  it("lacks what is undefined, and has what is zero", () => {
    assert.equal(encode(fields, { text: undefined }).length, 0);
    assert.deepEqual([...encode(fields, { kind: 0 })], [0x20, 0]);
  });

  it("can't have a property without a field, or of another type", () => {
    const wrong: readonly Message[] = [
      { other: 1 },
      { toString: 1 },
      { text: 1 },
      { flags: "1" },
      { part: "text" },
      { part: ["text"] },
      { names: "text" },
    ];
    for (const given of wrong) assert.throws(() => encode(fields, given), TypeError);
  });
});

/** -0 is written as it is, and empty lists are absent. */
function withLists(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
