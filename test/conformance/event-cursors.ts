// The cursors of receivers of events: one process at a time has a lease, and only its own settlement counts; the same
// on every engine.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import { type Engine, useSite } from "./engine.ts";

const destination = "syslog";

export function testEventCursors(engine: Engine): void {
  describe(`${engine.name}: cursors of receivers of events`, () => {
    const site = useSite(engine);
    let store: Store;
    beforeEach(async () => {
      store = site().store;
      const until = Number.MAX_SAFE_INTEGER - 1;
      await store.events.claim({ destination, now: Number.MAX_SAFE_INTEGER, until });
      await store.events.settle({ destination, until, entryNo: 0 });
    });

    it("are claimed by one at a time, and go on where they were settled", async () => {
      assert.equal(await store.events.claim({ destination, now: 10, until: 20 }), 0);
      assert.equal(await store.events.claim({ destination, now: 20, until: 30 }), undefined);
      assert.equal(await store.events.settle({ destination, until: 20, entryNo: 7 }), true);
      assert.equal(await store.events.claim({ destination, now: 11, until: 21 }), 7);
      assert.deepEqual(await store.events.list(), [{ destination, entryNo: 7 }]);
    });

    it("stay where they are if a lease has ended and another process has claimed them", async () => {
      assert.equal(await store.events.claim({ destination, now: 10, until: 20 }), 0);
      assert.equal(await store.events.claim({ destination, now: 21, until: 31 }), 0);
      assert.equal(await store.events.settle({ destination, until: 20, entryNo: 7 }), false);
      assert.equal(await store.events.settle({ destination, until: 31, entryNo: 5 }), true);
      assert.deepEqual(await store.events.list(), [{ destination, entryNo: 5 }]);
    });
  });
}
