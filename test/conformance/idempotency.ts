// An Idempotency-Key returns the first outcome again, whatever it was, and rejects another request.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { dayMs } from "../../src/basics/duration.ts";
import { limits } from "../../src/domain/limits.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import { keyOf, mark, other, transaction } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const reused = { errorName: "idempotency_reused", code: 42201, name: "AppError" };

export function testIdempotency(engine: Engine): void {
  describe(`${engine.name}: an Idempotency-Key`, () => {
    const site = useSite(engine);
    let store: TestStore;
    before(() => {
      store = site().store;
    });

    it("returns the first outcome again, marks it as a repetition, and writes nothing", async () => {
      const list = [transaction("a"), transaction("b")];
      const idempotency = mark("again");
      const first = await store.write(list, { idempotency });
      assert.deepEqual(first, { written: 2, drafts: ["created", "created"] });
      assert.deepEqual(await store.write(list, { idempotency }), { ...first, repeated: true });
      assert.equal((await store.changesOf(keyOf("transaction", "a"))).length, 1);
    });

    it("returns a refusal again, even when the reason for it is gone", async () => {
      const idempotency = mark("refused");
      const update = { mode: "update", idempotency } as const;
      const first = await store.write(transaction("not yet"), update);
      assert.deepEqual(first, { written: 0, drafts: ["no_such_record"] });
      await store.write(transaction("not yet"));
      const again = await store.write(transaction("not yet"), update);
      assert.deepEqual(again, { ...first, repeated: true });
    });

    it("is refused with another request, which has no effect", async () => {
      await store.write(transaction("used"), { idempotency: mark("used", "this") });
      await assert.rejects(
        store.write(transaction("unused"), { idempotency: mark("used", "that") }),
        reused,
      );
      await assert.rejects(
        store.request(keyOf("transaction", "used"), { idempotency: mark("used", "the other") }),
        reused,
      );
      assert.equal(await store.exists(keyOf("transaction", "unused")), false);
      assert.deepEqual(await store.listDeletions({ limit: 10 }), []);
    });

    it("of each draft returns its outcome again, in a list and alone, and refuses another draft", async () => {
      const list = [transaction("own"), transaction("own"), transaction("own too")];
      const marks = ["own.0", "own.1", "own.2"].map((key) => mark(key));
      const options = { lenient: true, marks };
      const first = await store.write(list, options);
      assert.deepEqual(first, {
        written: 2,
        drafts: ["created", "identical_record_exists", "created"],
      });
      assert.deepEqual(await store.write(list, options), { ...first, repeated: true });
      const alone = await store.write(transaction("own too"), { idempotency: mark("own.2") });
      assert.deepEqual(alone, { written: 1, drafts: ["created"], repeated: true });
      const others = [mark("own.0", "another"), mark("own.3"), mark("own.2")];
      const drafts = [transaction("other"), transaction("later"), transaction("own too")];
      const mixed = await store.write(drafts, { lenient: true, marks: others });
      assert.deepEqual(mixed, { written: 2, drafts: ["idempotency_reused", "created", "created"] });
      assert.equal(await store.exists(keyOf("transaction", "other")), false);
      assert.equal((await store.changesOf(keyOf("transaction", "own too"))).length, 1);
    });

    it("is separate for each organization", async () => {
      const idempotency = mark("shared");
      await store.write(transaction("mine"), { idempotency });
      const outcome = await store.write(transaction("mine"), {
        idempotency: mark("shared", "other request"),
        organizationId: other,
      });
      assert.deepEqual(outcome, { written: 1, drafts: ["created"] });
    });

    it("takes effect once among many concurrent requests", async () => {
      const idempotency = mark("race");
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, () =>
          store.write(transaction("raced"), { mode: "update", idempotency }),
        ).concat(store.write(transaction("raced"))),
      );
      const marked = outcomes.slice(0, 40);
      assert.equal(new Set(marked.map((outcome) => outcome.drafts[0])).size, 1);
      assert.equal(marked.filter(({ repeated }) => repeated !== true).length, 1);
      const changes = await store.changesOf(keyOf("transaction", "raced"));
      assert.ok(changes.length <= 2, `${changes.length} changes`);
    });

    it("is known while its reply is stored, also by a clock that is ten years ahead", async () => {
      const first = { mode: "update", idempotency: mark("old"), receivedAt: 5_000 } as const;
      await store.add("transaction", "aged");
      await store.write(transaction("aged"), first);
      const ahead = { ...first, receivedAt: 5_000 + 3_650 * dayMs };
      assert.equal((await store.write(transaction("aged"), ahead)).repeated, true);
      const another = { ...ahead, idempotency: mark("old", "another") };
      await assert.rejects(store.write(transaction("aged"), another), reused);
      assert.equal((await store.changesOf(keyOf("transaction", "aged"))).length, 2);
    });
  });

  describe(`${engine.name}: an Idempotency-Key and deletions`, () => {
    const site = useSite(engine);
    let store: TestStore;
    before(() => {
      store = site().store;
    });

    it("returns the same deletion again, even after it completed and the id was used again", async () => {
      const key = keyOf("transaction", "deleted");
      const idempotency = mark("deletion");
      await store.add("transaction", "deleted");
      const first = await store.request(key, { idempotency });
      await store.processAll();
      await store.add("transaction", "deleted");
      assert.equal(await store.request(key, { idempotency }), first);
      assert.equal(await store.exists(key), true);
      assert.notEqual(await store.request(key), first);
      await store.processAll();
    });

    it("returns again that there was no such record", async () => {
      const key = keyOf("transaction", "later");
      const idempotency = mark("nothing");
      assert.equal(await store.tryRequest(key, { idempotency }), undefined);
      await store.add("transaction", "later");
      assert.equal(await store.tryRequest(key, { idempotency }), undefined);
    });

    it("can be used for another deletion when its reply was removed, whatever the clock says", async () => {
      const [first, second] = [keyOf("transaction", "first"), keyOf("transaction", "second")];
      for (const { resourceId } of [first, second]) await store.add("transaction", resourceId);
      const one = await store.request(first, { idempotency: mark("old one", "1"), now: 5_000 });
      const expiry = 5_000 + limits.idempotencyKeptMs;
      const again = { idempotency: mark("old one", "2"), now: 2 * expiry };
      await assert.rejects(store.request(second, again), reused);
      await store.purgeExpired(expiry + 1);
      const two = await store.request(second, again);
      assert.ok(one !== two && two !== undefined);
      assert.equal(await store.request(second, again), two);
      await store.processAll();
    });

    it("is erased with any record that its request wrote", async () => {
      const idempotency = mark("erased");
      const list = [transaction("kept"), transaction("gone")];
      const append = { mode: "append", idempotency } as const;
      await store.write(list, append);
      await store.request(keyOf("transaction", "gone"));
      await store.processAll();
      assert.deepEqual(await store.write(list, append), {
        written: 1,
        drafts: ["unchanged", "created"],
      });
    });
  });

  describe(`${engine.name}: a stored outcome`, () => {
    it("survives the process", async (test) => {
      const site = await openSite(engine, test);
      const update = { mode: "update", idempotency: mark("kept") } as const;
      await site.store.add("transaction", "a");
      const first = await site.store.write(transaction("a"), update);
      const reopened = await site.reopen();
      const again = await reopened.write(transaction("a"), update);
      assert.deepEqual(again, { ...first, repeated: true });
      assert.equal((await reopened.changesOf(keyOf("transaction", "a"))).length, 2);
    });
  });
}
