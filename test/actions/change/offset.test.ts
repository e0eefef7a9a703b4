// Ids of events: opaque, and unique in an organization. Offsets: the same as ever in a store that was never restored,
// and gone where a restore has lost what they follow.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OffsetCipher, type Position } from "../../../src/actions/change/offset.ts";
import { AppError } from "../../../src/domain/error.ts";
import type { Timeline } from "../../../src/domain/record/timeline.ts";

const cipher = new OffsetCipher("a secret", []);

describe("the id of an event", () => {
  it("is the same in every reply, and another one for each event", () => {
    const events = [1, 2, 3, 4].map((number) => ({ changeNo: number, receivedAt: number & 1 }));
    const ids = cipher.eventIds("org", events);
    assert.deepEqual(cipher.eventIds("org", events.slice(2)), ids.slice(2));
    const others = cipher.eventIds("other", events);
    assert.equal(new Set([...ids, ...others]).size, 8);
  });

  it("is another one in a store that was restored, and has another event at the same number", () => {
    const [one] = cipher.eventIds("org", [{ changeNo: 1, receivedAt: 1 }]);
    const [other] = cipher.eventIds("org", [{ changeNo: 1, receivedAt: 2 }]);
    assert.notEqual(one, other);
  });
});

function at(changeNo: number): Position {
  return { changeNo, at: 1_772_000_000_000, following: 3 };
}

/** Of the same store, in one of its lives. */
function cipherOf(...timelines: readonly Timeline[]): OffsetCipher {
  return new OffsetCipher("a secret", timelines);
}

const isGone = (error: unknown) => error instanceof AppError && error.code === 41001;

describe("an offset", () => {
  const first = { timelineId: 2 ** 32, afterNo: 100 };
  const second = { timelineId: 2 ** 48 - 1, afterNo: 150 };

  it("has the same text as ever up to what was restored", () => {
    const known = "19c936e380000000003c7b04c4ae31d90bcefb40f40464e36db";
    for (const one of [cipherOf(), cipherOf(first), cipherOf(first, second)]) {
      assert.equal(one.encode("org", at(5)), known);
      assert.deepEqual(one.decode("org", known), at(5));
    }
  });

  it("is gone if it lies beyond what was restored, whatever the store has reached since", () => {
    const lost = cipherOf().encode("org", at(101));
    const other = cipherOf({ ...first, timelineId: 2 ** 40 }).encode("org", at(101));
    for (const offset of [lost, other]) {
      assert.throws(() => cipherOf(first).decode("org", offset), isGone);
      assert.throws(() => cipherOf(first, second).decode("org", offset), isGone);
    }
    const lostLater = cipherOf(first).encode("org", at(151));
    assert.throws(() => cipherOf(first, second).decode("org", lostLater), isGone);
    assert.throws(() => cipherOf().decode("org", lostLater), isGone);
  });

  it("is valid on each timeline up to where the next one begins", () => {
    const now = cipherOf(first, second);
    const offsets = [100, 101, 150, 151].map((number) => now.encode("org", at(number)));
    assert.equal(new Set(offsets.map(({ length }) => length)).size, 1);
    assert.deepEqual(
      offsets.map((offset) => now.decode("org", offset)?.changeNo),
      [100, 101, 150, 151],
    );
    assert.equal(cipherOf().decode("org", offsets[0] ?? "")?.changeNo, 100);
    assert.equal(cipherOf(first).decode("org", offsets[2] ?? "")?.changeNo, 150);
  });

  it("is none with any other byte, nor of another organization", () => {
    const now = cipherOf(first);
    const offset = now.encode("org", at(101));
    assert.equal(now.decode("other", offset), undefined);
    for (let place = 0; place < offset.length; place += 1) {
      const digit = offset[place] === "0" ? "1" : "0";
      const changed = offset.slice(0, place) + digit + offset.slice(place + 1);
      assert.equal(now.decode("org", changed), undefined);
    }
  });

  it("of the audit trail has no timeline", () => {
    const entry = cipherOf().encodeEntry("endpoint", { entryNo: 101, at: 1 });
    assert.deepEqual(cipherOf(first).decodeEntry("endpoint", entry), { entryNo: 101, at: 1 });
    assert.equal(cipherOf(first).encodeEntry("endpoint", { entryNo: 101, at: 1 }), entry);
  });
});
