// Which traces are recorded, and the clock of their spans.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { makeSampler } from "../../src/telemetry/sampler.ts";
import { SpanClock } from "../../src/telemetry/span-clock.ts";

const traceIds = Array.from({ length: 20_000 }, () => randomBytes(16).toString("hex"));
const [traceId = ""] = traceIds;
const [yes, no] = [{ sampled: true }, { sampled: false }];

describe("a sampler", () => {
  it("records all or no traces, whatever a client has decided", () => {
    for (const parent of [undefined, yes, no]) {
      assert.equal(makeSampler("always_on", 0)(traceId, parent), true);
      assert.equal(makeSampler("always_off", 1)(traceId, parent), false);
      assert.equal(makeSampler("traceidratio", 0)(traceId, parent), false);
      assert.equal(makeSampler("traceidratio", 1)(traceId, parent), true);
    }
  });

  it("by the parent follows the client, and decides itself without one", () => {
    for (const [name, alone] of [
      ["parentbased_always_on", true],
      ["parentbased_always_off", false],
      ["parentbased_traceidratio", false],
    ] as const) {
      const sampler = makeSampler(name, 0);
      const decisions = [undefined, yes, no].map((parent) => sampler(traceId, parent));
      assert.deepEqual(decisions, [alone, true, false], name);
    }
  });

  it("by ratio records about that share, and the same traces in every process", () => {
    const [one, other] = [makeSampler("traceidratio", 0.1), makeSampler("traceidratio", 0.1)];
    const recorded = traceIds.filter((id) => one(id, undefined));
    assert.ok(recorded.length > 1_700 && recorded.length < 2_300, String(recorded.length));
    assert.ok(recorded.every((id) => other(id, undefined)));
    const more = makeSampler("traceidratio", 0.2);
    assert.ok(recorded.every((id) => more(id, undefined)));
  });
});

describe("the clock of spans", () => {
  it("follows the system's clock when that has moved, and ignores its resolution", () => {
    const clock = new SpanClock();
    clock.correct(clock.now() + 3_600_000);
    const ahead = clock.now() - Date.now();
    assert.ok(ahead > 3_590_000 && ahead < 3_610_000, String(ahead));
    clock.correct();
    assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
    const before = clock.now();
    clock.correct(before - 5);
    assert.ok(clock.now() >= before);
  });
});
