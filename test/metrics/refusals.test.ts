// The history of refusals: bounded in different refusals and in hours.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RefusalHistory } from "../../src/metrics/refusals.ts";

const hourMs = 3_600_000;
const daysHours = 24;
const rowsMax = 500;

function add(history: RefusalHistory, field: string): void {
  history.add({ resourceType: "person", caller: undefined, counts: [[40_000, field, 2]] });
}

describe("the history of refusals", () => {
  let now = 0;

  it("counts equal refusals together, and others above a bound only in number", () => {
    const history = new RefusalHistory(() => now);
    for (let index = 0; index < rowsMax + 3; index += 1) add(history, `/field${index}`);
    add(history, "/field7");
    const { refusals, others } = history.read(1);
    assert.equal(refusals.length, rowsMax);
    assert.deepEqual([refusals[0]?.field, refusals[0]?.count, others], ["/field7", 4, 6]);
  });

  it("forgets what is older than a day", () => {
    const history = new RefusalHistory(() => now);
    for (let hour = 0; hour <= daysHours; hour += 1) {
      now = hour * hourMs;
      add(history, `/hour${hour}`);
    }
    const fields = history.read(2 * daysHours).refusals.map(({ field }) => field);
    assert.equal(fields.length, daysHours);
    assert.ok(!fields.includes("/hour0"));
  });
});
