// Who gets the places for live requests of a process.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedLimits } from "../../../src/feature/feed/rows.ts";
import { LiveReaders } from "../../../src/feature/feed/live-changes.ts";

const { readersMax, organizationReadersMax, keyReadersMax } = feedLimits;
type LiveReader = ReturnType<LiveReaders["add"]>;
const full = readersMax / organizationReadersMax;

/** As many as an organization may have. */
function addAll(readers: LiveReaders, organizationId: string): readonly LiveReader[] {
  return Array.from({ length: organizationReadersMax }, (_, index) =>
    readers.add({ organizationId, keyId: `${Math.floor(index / keyReadersMax)}` }),
  );
}

function fill(): { readers: LiveReaders; all: readonly LiveReader[] } {
  const readers = new LiveReaders(new AbortController().signal);
  const all = Array.from({ length: full }, (_, index) => addAll(readers, `many-${index}`)).flat();
  return { readers, all };
}

describe("live requests of a process", () => {
  it("are given up, the oldest first, by those who have most for those who have fewer", () => {
    const { readers, all } = fill();
    const added: LiveReader[] = [];
    for (let number = 1; number <= 2 * full; number += 1) {
      added.push(readers.add({ organizationId: `few-${number}`, keyId: "k" }));
      assert.equal(readers.count, readersMax);
    }
    const ended = all.flatMap((reader, index) => (reader.ended.aborted ? [index] : []));
    const oldest = Array.from({ length: full }, (_, at) => at * organizationReadersMax);
    assert.deepEqual(
      ended,
      oldest.flatMap((first) => [first, first + 1]),
    );
    assert.ok(added.every((reader) => !reader.ended.aborted));
  });

  it("are refused to an organization that would have as many as any other", () => {
    const { readers } = fill();
    const few = [0, 1].map((key) => ({ organizationId: "few", keyId: `${key}` }) as const);
    const add = (index: number) => readers.add(few[index % 2] ?? { organizationId: "", keyId: "" });
    // Each of the others, and this one, would then have the same share.
    const share = readersMax / (full + 1);
    for (let number = 0; number < Math.floor(share); number += 1) add(number);
    assert.throws(() => add(0), { code: 50301 });
    assert.equal(readers.count, readersMax);
  });

  it("that were ended and then end are counted once", () => {
    const { readers, all } = fill();
    readers.add({ organizationId: "few", keyId: "k" });
    all[0]?.leave();
    assert.equal(readers.count, readersMax);
    all[1]?.leave();
    assert.equal(readers.count, readersMax - 1);
  });
});
