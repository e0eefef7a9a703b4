// How the streams of a process share the memory of their groups, and the time of their thread.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextEvents } from "node:timers/promises";
import { Turns } from "../../../src/basics/turns.ts";
import { limits } from "../../../src/domain/limits.ts";
import {
  groupBytesMax,
  StreamTask,
  streamGroupBytesMax,
  streamGroupsBytesMax,
} from "../../../src/http/bulk/stream-task.ts";
import { WorkMeter } from "../../../src/http/bulk/work-meter.ts";

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

class HeldTurns extends Turns {
  readonly held: (() => void)[] = [];

  override next(): Promise<void> {
    return new Promise((resolve) => this.held.push(resolve));
  }
}

describe("a chunk of a stream", () => {
  it("is split in a turn of its organization, even if it has no line", async () => {
    const resourceType = "transaction";
    const received = { receivedAt: 1, timestampMin: "1980-01-01" };
    const order = { resourceType, mode: "append", organizationId: "acme", ...received } as const;
    const turns = new HeldTurns();
    const writer = { writeRecords: () => Promise.reject(new Error("nothing is written")) };
    let read = 0;
    const task = new StreamTask(
      order,
      { writer, turns, meter: new WorkMeter() },
      {
        onGroup: () => undefined,
        groupBytesMax: () => streamGroupBytesMax,
        groupLinesMax: 500,
      },
    );
    for (let chunk = 1; chunk <= 3; chunk += 1)
      void task.push(new Uint8Array(Buffer.from("\n".repeat(100)))).then(() => (read += 1));
    for (let turn = 0; turn < 3; turn += 1) {
      await nextEvents();
      assert.equal(read, turn);
      turns.held.shift()?.();
    }
    await nextEvents();
    assert.equal(read, 3);
  });
});
