// Where a message may end is found wherever its packets are divided.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  firstByteOf,
  lastBytes,
  lengthToEmptyLine,
} from "../../../src/http/connection/message-end.ts";

const nothing = Buffer.alloc(0);
const text = "\r\nGET / HTTP/1.1\r\nA: b\r\n\r\n\n\r\n\r\r\n\r\nx\r\n";

/** The parts that the text is cut into. */
function partsOf(packets: readonly string[]): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let before: Buffer = nothing;
  for (const packet of packets) {
    let rest: Buffer = Buffer.from(packet);
    while (rest.length > 0) {
      const length = lengthToEmptyLine(before, rest, 0);
      const cut = rest.subarray(0, length);
      rest = rest.subarray(length);
      part += cut.toString();
      before = lastBytes(before, cut);
      if (!part.endsWith("\r\n\r\n")) continue;
      parts.push(part);
      part = "";
    }
  }
  return [...parts, part];
}

describe("an empty line", () => {
  it("ends a part, however the bytes are divided into packets", () => {
    const expected = ["\r\nGET / HTTP/1.1\r\nA: b\r\n\r\n", "\n\r\n\r\r\n\r\n", "x\r\n"];
    for (let one = 0; one < text.length; one += 1) {
      for (let other = one; other < text.length; other += 1) {
        const packets = [text.slice(0, one), text.slice(one, other), text.slice(other)];
        assert.deepEqual(partsOf(packets), expected, JSON.stringify(packets));
      }
    }
    assert.deepEqual(partsOf(Array.from(text)), expected);
  });

  it("before a request is skipped", () => {
    assert.equal(firstByteOf(Buffer.from("\r\n\r\nGET")), 4);
    assert.equal(firstByteOf(Buffer.from("\r\n")), 2);
    assert.equal(firstByteOf(Buffer.from("GET")), 0);
  });
});
