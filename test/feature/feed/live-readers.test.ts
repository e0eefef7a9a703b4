// Who gets the places for live requests of a process.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { LiveReaders } from "../../../src/feature/feed/live-readers.ts";

const { changeReadersMax, organizationChangeReadersMax, keyChangeReadersMax } = limits;
type LiveReader = ReturnType<LiveReaders["add"]>;
const full = changeReadersMax / organizationChangeReadersMax;

/** As many as an organization may have. */
function addAll(readers: LiveReaders, organizationId: string): readonly LiveReader[] {
  return Array.from({ length: organizationChangeReadersMax }, (_, index) =>
    readers.add({ organizationId, keyId: `${Math.floor(index / keyChangeReadersMax)}` }),
  );
}

function fill(): { readers: LiveReaders; all: readonly LiveReader[] } {
  const readers = new LiveReaders();
  const all = Array.from({ length: full }, (_, index) => addAll(readers, `many-${index}`)).flat();
  return { readers, all };
}

describe("live requests of a process", () => {
  it("are given up, the oldest first, by those who have most for those who have fewer", () => {
    const { readers, all } = fill();
    const added: LiveReader[] = [];
    for (let number = 1; number <= 2 * full; number += 1) {
      added.push(readers.add({ organizationId: `few-${number}`, keyId: "k" }));
      assert.equal(readers.count, changeReadersMax);
    }
    const replaced = all.flatMap((reader, index) => (reader.replaced.aborted ? [index] : []));
    const oldest = Array.from({ length: full }, (_, at) => at * organizationChangeReadersMax);
    assert.deepEqual(
      replaced,
      oldest.flatMap((first) => [first, first + 1]),
    );
    assert.ok(added.every((reader) => !reader.replaced.aborted));
  });

  it("are refused to an organization that would have as many as any other", () => {
    const { readers } = fill();
    const few = [0, 1].map((key) => ({ organizationId: "few", keyId: `${key}` }) as const);
    const add = (index: number) => readers.add(few[index % 2] ?? { organizationId: "", keyId: "" });
    // Each of the others, and this one, would then have the same share.
    const share = changeReadersMax / (full + 1);
    for (let number = 0; number < Math.floor(share); number += 1) add(number);
    assert.throws(() => add(0), { code: 50301 });
    assert.equal(readers.count, changeReadersMax);
  });

  it("that were replaced and then end are counted once", () => {
    const { readers, all } = fill();
    readers.add({ organizationId: "few", keyId: "k" });
    all[0]?.leave();
    assert.equal(readers.count, changeReadersMax);
    all[1]?.leave();
    assert.equal(readers.count, changeReadersMax - 1);
  });
});
