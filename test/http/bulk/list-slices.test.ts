// Slices of JSON lists: together they contain every item once, and invalid lists are detected, in
// work proportional to the body.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type ListEnd, type SliceBounds, sliceList } from "../../../src/http/bulk/list-slices.ts";

const wide: SliceBounds = {
  itemsMax: 1_000,
  bytes: 1_000_000,
  itemBytesMax: 1_000_000,
  stepBytes: 1_000_000,
};

/** The text of each slice and its reported number of items. */
function slicesOf(text: string, bounds = wide): { slices: [string, number][]; end: ListEnd } {
  const body = Buffer.from(text);
  const slices: [string, number][] = [];
  const iterator = sliceList(body, bounds);
  for (;;) {
    const next = iterator.next();
    if (next.done === true) return { slices, end: next.value };
    const { start, end, items } = next.value;
    if (items > 0) slices.push([body.toString("utf8", start, end), items]);
  }
}

describe("slices of a list", () => {
  it("end after an item, limited by number and by bytes, and contain a large item alone", () => {
    const { slices, end } = slicesOf("[1, 2,3 ,4,5]", { ...wide, itemsMax: 2 });
    assert.deepEqual(slices, [
      ["1, 2", 2],
      ["3 ,4", 2],
      ["5", 1],
    ]);
    assert.deepEqual(end, { whole: true });
    const bounds = { ...wide, bytes: 6, itemBytesMax: 9 };
    assert.deepEqual(slicesOf('["aaa","bb","c",{"large":1},2]', bounds).slices, [
      ['"aaa","bb"', 2],
      ['"c"', 1],
      ['{"large":1}', 1],
      ["2", 1],
    ]);
  });

  it("do not exist for a list without items", () => {
    assert.deepEqual(slicesOf(" [ \n ] "), { slices: [], end: { whole: true } });
  });

  for (const text of [
    "",
    " ",
    "{}",
    "[",
    "[1",
    "[1,2",
    '["a',
    '["a\\"]',
    "[1}",
    "[{]",
    "[1]]",
    "[1] x",
  ]) {
    it(`reveal that ${JSON.stringify(text)} is not a complete list`, () => {
      assert.equal(slicesOf(text).end.whole, false);
    });
  }

  it("return every item of any list once and in order, whatever the bounds", () => {
    const anyBounds = fc.record({
      itemsMax: fc.integer({ min: 1, max: 5 }),
      bytes: fc.integer({ min: 1, max: 40 }),
      itemBytesMax: fc.integer({ min: 1, max: 40 }),
      stepBytes: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        anyBounds,
        fc.constantFrom(0, 1),
        (list, bounds, gap) => {
          const { slices, end } = slicesOf(JSON.stringify(list, null, gap), bounds);
          assert.deepEqual(end, { whole: true });
          const parsed = slices.map(([text]) => JSON.parse(`[${text}]`) as unknown[]);
          assert.deepEqual(
            parsed.map(({ length }) => length),
            slices.map(([, items]) => items),
          );
          assert.deepEqual(parsed.flat(), JSON.parse(JSON.stringify(list)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("never make invalid text valid: a text is complete and its slices parse, or JSON.parse rejects it too", () => {
    const anyText = fc.stringMatching(/^\[[[\]{}",:\\1a ]{0,12}\]?$/);
    fc.assert(
      fc.property(anyText, (text) => {
        const { slices, end } = slicesOf(text, { ...wide, itemsMax: 2, stepBytes: 3 });
        const isList =
          end.whole &&
          slices.every(([slice, items]) => {
            const parsed = parse(`[${slice}]`);
            return Array.isArray(parsed) && parsed.length === items;
          });
        assert.equal(isList, Array.isArray(parse(text)));
      }),
      { numRuns: 5_000 },
    );
  });

  it("are searched for in bounded steps, also in an item without an end", () => {
    for (const part of ["[", " ", '"\\n', "1,"]) {
      const body = Buffer.from(`[[${part.repeat(1_000)}`);
      let steps = 0;
      for (const { items } of sliceList(body, { ...wide, stepBytes: 100 })) {
        assert.equal(items, 0);
        steps += 1;
      }
      assert.equal(steps, Math.ceil(body.length / 100) - 1, part);
    }
  });

  it("read each byte a bounded number of times", () => {
    assert.ok(readsPerByte(2_000) < 4);
    assert.ok(readsPerByte(4_000) < readsPerByte(2_000) * 1.05);
  });
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function readsPerByte(items: number): number {
  let count = 0;
  const body = Buffer.from(`[${Array.from({ length: items }, () => '{"a":"b\\"c"}').join(",")}]`);
  const counted = new Proxy(body, {
    get: (target, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) count += 1;
      return Reflect.get(target, name, target) as unknown;
    },
  });
  for (const _ of sliceList(counted, { ...wide, itemsMax: 7, itemBytesMax: 3 }));
  return count / body.length;
}
