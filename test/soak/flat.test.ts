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
  bareP99Ms: 5,
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
/** On a machine that is slower each minute, replies take longer and connections are open for longer. */
const slower = (minute: number) => ({ bareP99Ms: 5 + 2 * minute, openFiles: 40 + 5 * minute });
const walBytesUsual = 100 * megabyte;

function findingsOf(change: (minute: number) => Partial<SoakRow>) {
  const rows = Array.from({ length: 10 }, (_, minute) => ({
    ...even,
    ...usual(minute),
    ...change(minute),
  }));
  return evaluateSoak(rows, walBytesUsual).findings;
}

describe("the verdict of a soak", () => {
  it("is flat for figures that do not grow, though the store does", () => {
    assert.deepEqual(
      findingsOf(() => ({})),
      [],
    );
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
      const findings = findingsOf(change);
      assert.equal(findings.length, 1);
      assert.match(findings[0] ?? "", new RegExp(`^not flat: ${name}: `));
    });
  }

  it("accepts a p99 that grows with that of a bare request, not one that grows more", () => {
    assert.deepEqual(
      findingsOf((minute) => ({ ...slower(minute), p99Ms: 20 + 8 * minute })),
      [],
    );
    const { length } = findingsOf((minute) => ({
      ...slower(minute),
      p99Ms: 20 + 10 * minute ** 2,
    }));
    assert.equal(length, 1);
  });

  it("accepts a p99 that falls, however much faster bare requests become", () => {
    assert.deepEqual(
      findingsOf((minute) => ({ p99Ms: 300 - 20 * minute, bareP99Ms: 200 / 2 ** minute })),
      [],
    );
  });

  it("does not count what the first minute needed", () => {
    const cold = { residentBytes: 0, walBytes: 0, p99Ms: 0, bareP99Ms: 0 };
    assert.deepEqual(
      findingsOf((minute) => (minute === 0 ? cold : {})),
      [],
    );
  });

  it("accepts a WAL that grows to its configured size", () => {
    assert.deepEqual(
      findingsOf((minute) => ({ walBytes: 10 * minute * megabyte })),
      [],
    );
  });

  it("says nothing about a run that is too short", () => {
    assert.deepEqual(
      evaluateSoak(
        Array.from({ length: 6 }, () => even),
        walBytesUsual,
      ),
      {
        lines: ["too short to compare its thirds"],
        findings: [],
      },
    );
  });
});
