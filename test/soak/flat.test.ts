// The verdict of a soak on planted figures.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluateSoak, type SoakRow } from "./figures.ts";

const megabyte = 1e6;
const even: SoakRow = {
  residentBytes: 200 * megabyte,
  storeBytes: 0,
  walBytes: 80 * megabyte,
  p99Ms: 20,
  openFiles: 40,
  openDeletions: 10,
  records: 0,
  processorSeconds: 0,
};
const recordsEach = 10_000;
/** So many bytes and seconds of each minute are what they always are. */
const usual = (minute: number) => ({
  storeBytes: 500 * recordsEach * minute,
  records: recordsEach * minute,
  processorSeconds: 2 * minute,
});
const walBytesUsual = 100 * megabyte;

function rows(change: (minute: number) => Partial<SoakRow>, minutes = 10): readonly SoakRow[] {
  return Array.from({ length: minutes }, (_, minute) => ({
    ...even,
    ...usual(minute),
    ...change(minute),
  }));
}

describe("the verdict of a soak", () => {
  it("is flat for figures that do not grow, though the store does", () => {
    const { lines, findings } = evaluateSoak(
      rows(() => ({})),
      walBytesUsual,
    );
    assert.deepEqual(findings, []);
    assert.equal(lines.filter((line) => line.endsWith(": flat")).length, 7);
  });

  const growing: Readonly<Record<string, (minute: number) => Partial<SoakRow>>> = {
    "resident memory": (minute) => ({ residentBytes: (200 + 10 * minute) * megabyte }),
    WAL: (minute) => ({ walBytes: (80 + 10 * minute) * megabyte }),
    p99: (minute) => ({ p99Ms: 20 + 5 * minute }),
    "open files": (minute) => ({ openFiles: 40 + 2 * minute }),
    "open deletions": (minute) => ({ openDeletions: 50 * minute }),
    "growth of the store for a record": (minute) => ({ storeBytes: megabyte * minute ** 2 }),
    "processor time for a record": (minute) => ({ processorSeconds: minute ** 2 }),
  };
  for (const [name, change] of Object.entries(growing)) {
    it(`finds ${name} that grows`, () => {
      const { findings } = evaluateSoak(rows(change), walBytesUsual);
      assert.equal(findings.length, 1);
      assert.match(findings[0] ?? "", new RegExp(`^not flat: ${name}: `));
    });
  }

  it("does not count what the first minute needed", () => {
    const { findings } = evaluateSoak(
      rows((minute) => (minute === 0 ? { residentBytes: 0, walBytes: 0, p99Ms: 0 } : {})),
      walBytesUsual,
    );
    assert.deepEqual(findings, []);
  });

  it("accepts a WAL that grows to its configured size", () => {
    const { findings } = evaluateSoak(
      rows((minute) => ({ walBytes: 10 * minute * megabyte })),
      walBytesUsual,
    );
    assert.deepEqual(findings, []);
  });

  it("says nothing about a run that is too short", () => {
    const { lines, findings } = evaluateSoak(
      rows((minute) => ({ p99Ms: 100 * minute }), 6),
      walBytesUsual,
    );
    assert.deepEqual([lines.length, findings], [1, []]);
  });
});
