// The headers of W3C Trace Context: valid ones are continued, malformed ones are as if they were absent.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readParent } from "../../src/telemetry/trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;

describe("traceparent", () => {
  it("names the trace, the span and whether it is recorded", () => {
    const found = { traceId, spanId, traceState: undefined };
    assert.deepEqual(readParent({ traceparent }), { ...found, sampled: true });
    const unsampled = `00-${traceId}-${spanId}-00`;
    assert.deepEqual(readParent({ traceparent: unsampled }), { ...found, sampled: false });
    const randomFlag = `00-${traceId}-${spanId}-02`;
    assert.equal(readParent({ traceparent: randomFlag })?.sampled, false);
  });

  it("of a later version may have more fields", () => {
    for (const more of ["", "-", "-what-the-future-will-be-like"]) {
      const found = readParent({ traceparent: `cc-${traceId}-${spanId}-01${more}` });
      assert.equal(found?.traceId, traceId);
    }
  });

  const malformed = {
    "is empty": "",
    "is cut off": traceparent.slice(0, -1),
    "has more fields": `${traceparent}-00`,
    "has the version ff": `ff${traceparent.slice(2)}`,
    "has an id in capitals": traceparent.toUpperCase(),
    "has a trace id of zeros": `00-${"0".repeat(32)}-${spanId}-01`,
    "has a span id of zeros": `00-${traceId}-${"0".repeat(16)}-01`,
    "has a space": ` ${traceparent}`,
    "was sent twice": `${traceparent}, ${traceparent}`,
    "has a later version and no hyphen": `cc-${traceId}-${spanId}-01.more`,
    "is long": `cc-${traceId}-${spanId}-01-${"a".repeat(10_000)}`,
  };
  for (const [why, value] of Object.entries(malformed)) {
    it(`is ignored when it ${why}`, () => {
      assert.equal(readParent({ traceparent: value, tracestate: "a=1" }), undefined);
    });
  }

  it("is needed for tracestate", () => {
    assert.equal(readParent({ tracestate: "a=1" }), undefined);
  });
});

describe("tracestate", () => {
  const valid = [
    ["a=1", "a=1"],
    ["tenant@system=x y,b=!", "tenant@system=x y,b=!"],
    [" a=1 ,, b=2,", "a=1,b=2"],
    [Array.from({ length: 32 }, (_, at) => `k${at}=1`).join(","), undefined],
  ] as const;
  for (const [sent, expected = sent] of valid) {
    it(`is passed on when it is ${JSON.stringify(sent)}`, () => {
      assert.equal(readParent({ traceparent, tracestate: sent })?.traceState, expected);
    });
  }

  const malformed = [
    "",
    "a",
    "=1",
    "a=",
    "A=1",
    "a=1,a=2",
    "a=b=c",
    "a=\u00e9",
    `a=${"x".repeat(600)}`,
    Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(","),
  ];
  for (const tracestate of malformed) {
    it(`alone is ignored when it is ${JSON.stringify(tracestate.slice(0, 40))}`, () => {
      const found = readParent({ traceparent, tracestate });
      assert.deepEqual([found?.traceId, found?.traceState], [traceId, undefined]);
    });
  }
});
