// Ids of events: opaque, and unique in an organization.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FeedCipher } from "../../../src/actions/change/offset.ts";

const cipher = new FeedCipher("a secret");

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
