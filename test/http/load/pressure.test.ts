// What is rejected under which pressure, and when pressure begins and ends: a pure function of
// samples.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import {
  heldBytesMaxOf,
  isRefused,
  type NewWork,
  noPressure,
  observePressure,
  type PressureSample,
  type PressureState,
} from "../../../src/http/load/load-shedding.ts";

const calm: PressureSample = {
  atMs: 0,
  eventLoopDelayMs: 0,
  residentBytes: 0,
  heldBodyBytes: 0,
  isIdle: false,
};
const stepMs = 250;

/** The state after samples of these delays, one every 250 ms. */
function afterDelays(delaysMs: readonly number[]): PressureState {
  return delaysMs.reduce<PressureState>(
    (state, eventLoopDelayMs, index) =>
      observePressure(state, { ...calm, atMs: index * stepMs, eventLoopDelayMs }),
    noPressure,
  );
}

function after(sample: Partial<PressureSample>): PressureState {
  return observePressure(noPressure, { ...calm, ...sample });
}

function at(before: PressureState, residentBytes: number, isIdle: boolean): PressureState {
  return observePressure(before, { ...calm, residentBytes, isIdle });
}

function body(bytes: number, isAlone = false): NewWork {
  return { kind: "body", bytes, isAlone };
}

const stream: NewWork = { kind: "stream", bytes: Infinity, isAlone: false };
const [small, large, largest] = [
  body(limits.shedBodyBytesMin - 1),
  body(limits.shedBodyBytesMin),
  body(limits.largestBodyBytesMin),
];

/** Which kinds of work are rejected. */
function rejected(state: PressureState): readonly string[] {
  const kinds = { small, large, largest, stream };
  return Object.entries(kinds).flatMap(([name, work]) => (isRefused(state, work) ? [name] : []));
}

/** This many late samples in a row. */
function lateFor(samples: number): readonly number[] {
  return Array.from({ length: samples }, () => limits.pressureDelayMsMax + 1);
}

/** Samples until the delay has lasted long enough. */
const sustained = limits.pressureDelaySustainedMs / stepMs + 1;

describe("pressure of the event loop", () => {
  it("begins when the delay lasts", () => {
    assert.deepEqual(rejected(afterDelays(lateFor(sustained - 1))), []);
    const late = afterDelays(lateFor(sustained));
    assert.deepEqual(rejected(late), ["large", "largest", "stream"]);
    assert.equal(isRefused(late, large), true);
  });

  it("does not begin with occasional delays", () => {
    const some = lateFor(sustained - 2);
    const withTimeout = limits.pressureDelayMsMax - 1;
    assert.deepEqual(rejected(afterDelays([...some, withTimeout, ...some])), []);
  });

  it("counts the whole time for which the loop was blocked", () => {
    const blocked = observePressure(after({}), { ...calm, atMs: 5_000, eventLoopDelayMs: 4_900 });
    assert.deepEqual(rejected(blocked), ["large", "largest", "stream"]);
  });

  it("ends below half of the bound, and not before", () => {
    const late = lateFor(sustained);
    const [half, below] = [limits.pressureDelayMsMax / 2, limits.pressureDelayMsMax - 1];
    const going = afterDelays([...late, half + 1, below, half + 1]);
    assert.deepEqual(rejected(going), ["large", "largest", "stream"]);
    assert.deepEqual(rejected(afterDelays([...late, half])), []);
  });

  it("refuses large work even if nothing else is in progress", () => {
    const late = afterDelays(lateFor(sustained));
    assert.equal(isRefused(late, { ...large, isAlone: true }), true);
  });
});

describe("pressure of memory", () => {
  it("refuses the largest work first, then all large work", () => {
    const { residentBytesHigh: high, residentBytesCritical: critical } = limits;
    assert.deepEqual(rejected(after({ residentBytes: high - 1 })), []);
    assert.deepEqual(rejected(after({ residentBytes: high })), ["largest", "stream"]);
    assert.deepEqual(rejected(after({ residentBytes: critical - 1 })), ["largest", "stream"]);
    assert.deepEqual(rejected(after({ residentBytes: critical })), ["large", "largest", "stream"]);
  });

  it("admits large work that is alone, because resident memory may never shrink again", () => {
    const full = after({ residentBytes: limits.residentBytesCritical * 2 });
    assert.equal(isRefused(full, { ...largest, isAlone: true }), false);
    assert.equal(isRefused(full, { ...stream, isAlone: true }), false);
    assert.equal(isRefused(full, largest), true);
  });

  it("is the growth since nothing large was in progress, because allocators keep pages", () => {
    const { residentBytesHigh: high, residentBytesCritical: critical, retainedBytesMax } = limits;
    const under = at(noPressure, critical, false);
    assert.equal(under.memory, 2);
    const afterwards = at(under, critical, true);
    assert.equal(afterwards.memory, 0);
    const again = at(afterwards, high + retainedBytesMax, false);
    assert.equal(again.memory, 1);
    assert.equal(at(again, critical + retainedBytesMax, false).memory, 2);
    const returned = at(afterwards, limits.residentBytesUsual, false);
    assert.equal(at(returned, critical, false).memory, 2);
  });

  it("is never more than is bounded, however much is retained", () => {
    const { residentBytesCritical: critical, retainedBytesMax } = limits;
    const residentBytes = critical + retainedBytesMax;
    assert.equal(after({ residentBytes, isIdle: true }).memory, 2);
    assert.ok(residentBytes < 750 * 1_000_000);
  });

  it("refuses only the largest bodies while retained ones are near their bound", () => {
    const bound = limits.heldBodyBytesMax;
    assert.deepEqual(rejected(after({ heldBodyBytes: (bound * 7) / 8 - 1 })), []);
    assert.deepEqual(rejected(after({ heldBodyBytes: (bound * 7) / 8 })), ["largest"]);
  });

  it("reduces the room for waiting bodies, but leaves enough for one", () => {
    const { residentBytesHigh, residentBytesCritical, bodyBytesMax, heldBodyBytesMax } = limits;
    const levels = [0, residentBytesHigh, residentBytesCritical];
    const bounds = levels.map((residentBytes) => heldBytesMaxOf(after({ residentBytes })));
    assert.deepEqual(bounds, [heldBodyBytesMax, heldBodyBytesMax / 2, bodyBytesMax]);
  });

  it("ends with the first sample below the bounds", () => {
    const full = after({ residentBytes: limits.residentBytesCritical, heldBodyBytes: 2 ** 40 });
    assert.deepEqual(rejected(observePressure(full, { ...calm, atMs: stepMs })), []);
  });
});

describe("small work", () => {
  it("is never refused", () => {
    for (const eventLoopDelayMs of [0, 1e6]) {
      for (const residentBytes of [0, 2 ** 50]) {
        for (const heldBodyBytes of [0, 2 ** 50]) {
          const sample = { eventLoopDelayMs, residentBytes, heldBodyBytes, isIdle: false };
          const state = observePressure(after({}), { ...sample, atMs: 60_000 });
          assert.equal(isRefused(state, small), false);
        }
      }
    }
  });
});
