// Erasing a person or a company: a pseudonym replaces its id in the transactions that stay.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPseudonym } from "../../src/domain/deletion/party.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { limits } from "../../src/domain/limits.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import type { HoldOutcome } from "../../src/store/sql/retention/hold.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, mark, operator, other, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

const countries = { sender_country: "DE", receiver_country: "DE" };

/** Adds a transaction between these two, or without a receiver. */
function pay(
  store: TestStore,
  id: string,
  [sender_id, receiver_id]: readonly [sender: string, receiver?: string],
): Promise<void> {
  const receiver = receiver_id === undefined ? {} : { receiver_id };
  return store.add("transaction", id, { ...countries, sender_id, ...receiver });
}

/** Transactions in which a pseudonym has replaced an id. */
export function changedBy(deletion: Deletion | undefined): number | undefined {
  return deletion?.redactedByType["transaction"];
}

/** Of every change: who sends, and who receives. */
async function partiesOf(store: TestStore, id: string, organizationId = acme) {
  const payloads = await store.payloadsOf(keyOf("transaction", id, organizationId));
  return payloads.map(({ sender_id, receiver_id }) => [sender_id, receiver_id]);
}

function requirePseudonym(id: unknown): string {
  assert.ok(typeof id === "string" && isPseudonym(id), String(id));
  return id;
}

async function update(store: TestStore, id: string, fields: Payload): Promise<void> {
  const outcome = await store.write(draftOf("transaction", id, fields), { mode: "update" });
  assert.deepEqual(outcome.drafts, ["updated"]);
}

export function testParties(engine: Engine): void {
  describe(`${engine.name}: erasing a person or a company`, () => {
    it("replaces its id by one pseudonym in every change of every transaction", async (test) => {
      const { store } = await openSite(engine, test);
      const id = 'p "quoted" \\ ü';
      await store.add("person", id);
      await pay(store, "sent", [id, "q"]);
      await pay(store, "received", ["q", id]);
      await pay(store, "both", [id, id]);
      await pay(store, "longer", [`${id}2`, "q"]);
      await pay(store, "before", [`a${id}`, 'p "quoted']);
      await update(store, "sent", { sender_id: "x", sender_country: "DE" });
      await update(store, "sent", { sender_id: id, sender_country: "FR" });
      const elsewhere = draftOf("transaction", "sent", { ...countries, sender_id: id });
      await store.write(elsewhere, { organizationId: other });
      const deletion = await store.erase("person", id);
      assert.deepEqual(deletion.erased, { person: 1 });
      assert.deepEqual([deletion.redacted, changedBy(deletion)], [3, 3]);
      const [first, ...later] = await partiesOf(store, "sent");
      const pseudonym = requirePseudonym(first?.[0]);
      assert.equal(first?.[1], "q");
      assert.deepEqual(
        later.map(([sender]) => sender),
        ["x", pseudonym],
      );
      assert.deepEqual(await partiesOf(store, "received"), [["q", pseudonym]]);
      assert.deepEqual(await partiesOf(store, "both"), [[pseudonym, pseudonym]]);
      assert.deepEqual(await partiesOf(store, "longer"), [[`${id}2`, "q"]]);
      assert.deepEqual(await partiesOf(store, "before"), [[`a${id}`, 'p "quoted']]);
      assert.equal((await partiesOf(store, "sent", other))[0]?.[0], id);
      // A change is identical to what is stored now, and not to what was sent.
      const drafts = [
        { sender_id: pseudonym, sender_country: "FR" },
        { sender_id: id, sender_country: "FR" },
      ].map((fields) => draftOf("transaction", "sent", fields));
      const again = await store.write(drafts, { lenient: true });
      assert.deepEqual(again.drafts, ["identical_record_exists", "record_exists"]);
    });

    it("uses another pseudonym in each deletion, also of the same id", async (test) => {
      const { store } = await openSite(engine, test);
      const pseudonyms = new Set<string>();
      for (const [type, id, tx] of [
        ["person", "a", "t1"],
        ["company", "b", "t2"],
        ["person", "a", "t3"],
      ] as const) {
        await store.add(type, id);
        await pay(store, tx, [id, "shop"]);
        await store.erase(type, id);
        pseudonyms.add(requirePseudonym((await partiesOf(store, tx))[0]?.[0]));
      }
      assert.equal(pseudonyms.size, 3);
      // New data, which no deletion was requested for.
      await pay(store, "t4", ["a", "shop"]);
      assert.deepEqual(await partiesOf(store, "t4"), [["a", "shop"]]);
    });

    it("finds transactions that arrive while it runs, and counts each once", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await pay(store, "early", ["p", "q"]);
      await pay(store, "unrelated", ["q", "r"]);
      const id = await store.request(keyOf("person", "p"));
      await store.claim();
      while (!(await store.eraseOne(id, 1)));
      await pay(store, "late 1", ["p", "q"]);
      assert.equal(await store.completeOne(id), undefined);
      await update(store, "unrelated", { receiver_id: "p", receiver_country: "DE" });
      while (!(await store.eraseOne(id, 1)));
      await pay(store, "late 2", ["q", "p"]);
      await update(store, "early", { sender_id: "p", sender_country: "FR" });
      const deletion = await store.finish(id);
      assert.equal(changedBy(deletion), 4);
      for (const tx of ["early", "unrelated", "late 1", "late 2"]) {
        assert.ok(!JSON.stringify(await partiesOf(store, tx)).includes('"p"'), tx);
      }
    });

    it("continues after a restart between any two steps", async (test) => {
      const site = await openSite(engine, test);
      await site.store.add("person", "p");
      for (let tx = 0; tx < 7; tx += 1) await pay(site.store, `t${tx}`, [tx % 2 === 0 ? "p" : "q"]);
      const id = await site.store.request(keyOf("person", "p"));
      let completed: Deletion | undefined;
      const pseudonyms = new Set<unknown>();
      for (let round = 0; completed === undefined; round += 1) {
        assert.ok(round < 20);
        const store = await site.reopen();
        await store.claim(worker.now + round * 120_000);
        const done = await store.eraseOne(id, 2);
        const parties = await Promise.all([0, 2, 4, 6].map((tx) => partiesOf(store, `t${tx}`)));
        for (const [pair] of parties) if (pair?.[0] !== "p") pseudonyms.add(pair?.[0]);
        if (done) completed = await store.completeOne(id);
      }
      assert.equal(changedBy(completed), 4);
      assert.equal(pseudonyms.size, 1);
      requirePseudonym([...pseudonyms][0]);
    });

    it("removes the stored reply of a request that named it", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      const draft = draftOf("transaction", "t", { ...countries, sender_id: "p" });
      const idempotency = mark("key");
      const first = await store.write(draft, { idempotency });
      assert.deepEqual(first.drafts, ["created"]);
      assert.deepEqual((await store.write(draft, { idempotency })).drafts, ["created"]);
      await store.erase("person", "p");
      assert.deepEqual((await store.write(draft, { idempotency })).drafts, ["record_exists"]);
    });
  });

  testWaiting(engine);
}

function testWaiting(engine: Engine): void {
  describe(`${engine.name}: a person in a transaction under a hold`, () => {
    it("is not erased before the hold is released", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await pay(store, "held", ["q", "p"]);
      await store.hold(keyOf("transaction", "held"));
      const id = await store.request(keyOf("person", "p"));
      assert.equal(await store.claim(), undefined);
      const waiting = await store.findDeletion(id, undefined);
      assert.deepEqual([waiting?.status, waiting?.erased], ["pending", {}]);
      assert.equal(waiting?.waitingFor, "a hold on transaction held");
      await store.release(keyOf("transaction", "held"));
      const [deletion] = await store.processAll();
      assert.equal(changedBy(deletion), 1);
    });

    it("refuses a hold on a transaction while it is processed", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await pay(store, "paid", ["q", "p"]);
      await pay(store, "other", ["q", "r"]);
      const id = await store.request(keyOf("person", "p"));
      await store.claim();
      assert.equal(await store.hold(keyOf("transaction", "paid")), "being_erased");
      assert.equal(typeof (await store.hold(keyOf("transaction", "other"))), "object");
      assert.equal(changedBy(await store.finish(id)), 1);
      assert.equal(typeof (await store.hold(keyOf("transaction", "paid"))), "object");
    });

    it("waits for a hold on a transaction that names it while it is processed", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await pay(store, "held", ["q", "r"]);
      await store.hold(keyOf("transaction", "held"));
      const id = await store.request(keyOf("person", "p"));
      await store.claim();
      await update(store, "held", { sender_id: "q", receiver_id: "p" });
      while (!(await store.eraseOne(id, 1)));
      await assert.rejects(store.completeOne(id), /waits for a hold/);
      assert.deepEqual((await partiesOf(store, "held")).at(-1), ["q", "p"]);
      await store.release(keyOf("transaction", "held"));
      const claimed = await store.claim(worker.now + 61_000);
      assert.equal(claimed?.deletionRequestId, id);
      assert.equal(changedBy(await store.finish(id)), 1);
    });

    it("refuses a hold on a transaction that names it in any of many changes", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("person", "p");
      await store.add("person", "q");
      for (const [id, early, late] of [
        ["first", "p", "r"],
        ["last", "q", "p"],
        ["none", "q", "r"],
      ] as const) {
        const senders = [early, ...Array<string>(limits.rewrittenChangesMax).fill("s"), late];
        const drafts = senders.map((sender_id, amount) =>
          draftOf("transaction", id, { ...countries, sender_id, amount }),
        );
        await store.write(drafts, { mode: "append" });
      }
      await store.request(keyOf("person", "p"));
      await store.claim();
      const place = (id: string, before?: HoldOutcome) => {
        const wanted = { reason: "a case", owner: undefined, reviewOn: undefined };
        const hold = { ...wanted, holdId: `hold_${id}`, endsOn: undefined };
        const unnamed =
          typeof before === "object" && "unnamed" in before ? before.unnamed : undefined;
        return store.holds.place({ ...hold, ...keyOf("transaction", id) }, operator, unnamed);
      };
      assert.equal(await place("first"), "being_erased");
      const last = await place("last");
      assert.equal(await place("last", last), "being_erased");
      const none = await place("none");
      assert.deepEqual(await store.holds.ofRecords([keyOf("transaction", "none")]), []);
      await store.request(keyOf("person", "q"));
      const placed = await place("none", none);
      assert.ok(typeof placed === "object" && "holdId" in placed);
      await store.release(keyOf("transaction", "none"));
      await store.claim();
      assert.equal(await place("none", none), "being_erased");
    });
  });
}
