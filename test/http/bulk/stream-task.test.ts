// How the streams of a process share the memory of their groups.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import {
  groupBytesMax,
  streamGroupBytesMax,
  streamGroupsBytesMax,
} from "../../../src/http/bulk/stream-task.ts";

describe("the group of a stream", () => {
  it("is as large as may be while few streams are open", () => {
    for (const streams of [0, 1, 4]) assert.equal(groupBytesMax(streams), streamGroupBytesMax);
  });

  it("is limited to its share of the memory for all groups", () => {
    for (let streams = 4; streams <= limits.streamsMax; streams += 1) {
      assert.ok(groupBytesMax(streams) * streams <= streamGroupsBytesMax);
    }
  });

  it("allows the longest line, however many streams are open", () => {
    assert.ok(groupBytesMax(limits.streamsMax) >= limits.streamLineBytesMax);
    assert.equal(groupBytesMax(1e6), limits.streamLineBytesMax);
  });
});
