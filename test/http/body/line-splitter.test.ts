// Lines are the same whatever the boundaries of the chunks.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { limits } from "../../../src/domain/limits.ts";
import { type Line, LineSplitter } from "../../../src/http/body/line-splitter.ts";

function split(chunks: readonly Buffer[]): Line[] {
  const splitter = new LineSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

/** Cuts the text into chunks at the given positions, empty ones included. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [
    ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  let from = 0;
  return ends.map((end) => {
    const chunk = bytes.subarray(from, end);
    from = end;
    return chunk;
  });
}

describe("the line splitter", () => {
  it("returns each line that is not blank with its number, whatever the chunks are", () => {
    const line = fc.constantFrom(
      "",
      " ",
      "\r",
      " \t\r",
      "a\r",
      "a",
      '{"a":1}',
      "ünï 😀",
      "x".repeat(300),
    );
    const document = fc.tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("", "\n"));
    const places = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(document, places, ([lines, ending], cuts) => {
        const text = lines.join("\n") + ending;
        const expected = text
          .split("\n")
          .map((content, index) => [index + 1, content] as const)
          .filter(([, content]) => content.trim() !== "");
        const found = split(cut(Buffer.from(text), cuts));
        assert.deepEqual(
          found.map(({ number, bytes }) => [number, bytes?.toString()]),
          expected,
        );
      }),
    );
  });

  it("drops the content of each line beyond the bound, whatever the chunks are", () => {
    const max = limits.streamLineBytesMax;
    const length = fc.constantFrom(0, 1, 7, max - 1, max, max + 1, 2 * max);
    const places = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(length, { maxLength: 6 }), places, (lengths, cuts) => {
        const text = Buffer.from(lengths.map((count) => "x".repeat(count)).join("\n"));
        assert.deepEqual(
          split(cut(text, cuts)).map(({ bytes }) => bytes?.length),
          lengths.filter((count) => count > 0).map((count) => (count > max ? undefined : count)),
        );
      }),
    );
  });
});
