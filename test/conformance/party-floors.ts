// Retention floors of transactions keep the ids of their parties: a person or a company is erased after the last floor
// of what names it has ended, and nothing of it before.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPseudonym } from "../../src/domain/deletion/party.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import { blockNumbers } from "../../src/store/shared/party-entries.ts";
import { planTargetsAtOnceMax } from "../../src/store/sqlite/erase/large-plan.ts";
import type { TestStore } from "../support/test-store.ts";
import type { Engine, openSite, Site } from "./engine.ts";
import { openWithOrganizations, shownDueAt } from "./floors.ts";
import { acme, draftOf, keyOf, onDay, operator, other, seen, worker } from "./scene.ts";

const ada = keyOf("person", "ada");
const update = { mode: "update" } as const;

async function open(engine: Engine, test: Parameters<typeof openSite>[1]): Promise<Site> {
  const site = await openWithOrganizations(engine, test);
  await site.store.add("person", "ada", seen(1));
  return site;
}

function pay(store: TestStore, id: string, day: number, fields: Payload = {}): Promise<void> {
  const sender = { sender_id: "ada", sender_country: "DE" };
  return store.add("transaction", id, { ...seen(day), ...sender, ...fields });
}

async function senderOf(store: TestStore, id: string): Promise<unknown> {
  return (await store.payloadsOf(keyOf("transaction", id)))[0]?.["sender_id"];
}

/** The deletion waits for the floor of a transaction: nothing has happened to anything, and the status says so. */
async function requireWait(store: TestStore, id: string, untilDay: number): Promise<void> {
  assert.equal(await store.claim(onDay(untilDay) - 1), undefined);
  const { status, floorUntil, waitingFor = "", erased } = await store.deletionOf(id);
  assert.deepEqual([status, floorUntil, erased], ["pending", onDay(untilDay), {}]);
  assert.match(waitingFor, /^the retention floor of a transaction that names it: \d+ days from/);
  assert.equal(await shownDueAt(store, id), new Date(onDay(untilDay)).toISOString());
  assert.equal(await store.exists(ada), true);
}

/** Claims the deletion on this day, and processes it. */
async function processOn(store: TestStore, id: string, day: number): Promise<void> {
  const act = { ...worker, now: onDay(day) };
  assert.equal((await store.claim(act.now))?.deletionRequestId, id);
  for (let round = 0; round < 100; round += 1) {
    if (!(await store.eraseOne(id, 50, act))) continue;
    if ((await store.completeOne(id, act)) !== undefined) break;
  }
  assert.equal((await store.deletionOf(id)).status, "completed");
  assert.equal(await store.exists(ada), false);
}

async function setFloor(store: TestStore, keepDays: number, redactable: boolean): Promise<void> {
  const rule = { keepDays, countedFrom: "last_seen", redactable } as const;
  const change = { organizationId: acme, resourceType: "transaction", rule };
  await store.retention.setFloor(change, operator);
}

export function testPartyFloors(engine: Engine): void {
  describe(`${engine.name}: a retention floor of transactions`, () => {
    it("keeps the persons that they name, until the last one has ended", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      await pay(store, "early", 2);
      await pay(store, "last", 4);
      await pay(store, "of-others", 9, { sender_id: "eve" });
      await store.write(draftOf("transaction", "t", { ...seen(20), sender_id: "ada" }), {
        organizationId: other,
      });
      const id = await store.request(ada);
      await requireWait(store, id, 9);
      assert.equal(await senderOf(store, "early"), "ada");
      await processOn(store, id, 9);
      for (const tx of ["early", "last"]) assert.ok(isPseudonym(await senderOf(store, tx)));
    });

    it("that is redactable keeps nobody", async (test) => {
      const { store } = await open(engine, test);
      await setFloor(store, 500, true);
      await pay(store, "t", 2);
      const id = await store.request(ada);
      await processOn(store, id, 2);
      assert.ok(isPseudonym(await senderOf(store, "t")));
    });

    it("counts with the floor of the person itself, and the later one is shown", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      await store.setFloor("person", 100);
      await pay(store, "t", 2);
      const id = await store.request(ada);
      assert.equal(await store.claim(), undefined);
      assert.match((await store.deletionOf(id)).waitingFor ?? "", /of person ada: 100 days/);
      await store.setFloor("person", 1);
      await requireWait(store, id, 7);
      await processOn(store, id, 7);
    });

    for (const [title, count] of [
      ["a transaction that arrives after it was evaluated", 1],
      ["one of more transactions than the index has to reach", 3 * blockNumbers],
    ] as const) {
      it(`counts on ${title}`, async (test) => {
        const { store } = await open(engine, test);
        await store.setFloor("transaction", 5);
        await store.setFloor("person", 10);
        const id = await store.request(ada);
        assert.equal(await store.claim(), undefined);
        const sender = { sender_id: "eve", sender_country: "DE" };
        const others = Array.from({ length: count }, (_, index) =>
          draftOf("transaction", `t${index}`, { ...seen(1), ...sender }),
        );
        await store.write(others);
        await pay(store, "late", 10);
        await requireWait(store, id, 15);
        await processOn(store, id, 15);
        assert.ok(isPseudonym(await senderOf(store, "late")));
      });
    }

    it("counts on a transaction that is seen again after its pass", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      await store.setFloor("person", 10);
      await pay(store, "again", 1);
      await pay(store, "other", 1, { sender_id: "eve" });
      const id = await store.request(ada);
      assert.equal(await store.claim(onDay(7)), undefined);
      const status = { ...seen(10), status: "SETTLED" };
      await store.write(draftOf("transaction", "again", status), update);
      await store.write(draftOf("transaction", "other", { ...status, ...seen(11) }), update);
      await requireWait(store, id, 15);
      await processOn(store, id, 15);
    });

    it("of a transaction that arrives during the erasure keeps that one unredacted", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      await pay(store, "early", 1);
      const id = await store.request(ada);
      const act = { ...worker, now: onDay(6) };
      assert.equal((await store.claim(act.now))?.deletionRequestId, id);
      await pay(store, "late", 6);
      while (!(await store.eraseOne(id, 5, act)));
      await assert.rejects(store.completeOne(id, act), /retention floor of a transaction/);
      await store.postponeDeletion(id, "it waits", act.now + 1_000);
      const { status, floorUntil } = await store.deletionOf(id);
      assert.deepEqual([status, floorUntil], ["processing", onDay(11)]);
      assert.equal(await senderOf(store, "late"), "ada");
      assert.equal(await store.claim(onDay(11) - 1), undefined);
      await processOn(store, id, 11);
      for (const tx of ["early", "late"]) assert.ok(isPseudonym(await senderOf(store, tx)));
    });

    it("is read again by a new rule, and not at all without one", async (test) => {
      const { store } = await open(engine, test);
      await pay(store, "t", 2);
      const id = await store.request(ada);
      for (const keepDays of [5, 8, 4, 9]) {
        await store.setFloor("transaction", keepDays);
        assert.equal(await store.claim(onDay(3)), undefined);
        assert.equal((await store.deletionOf(id)).floorUntil, onDay(2 + keepDays));
      }
      await setFloor(store, 8, true);
      await processOn(store, id, 3);
    });

    it("keeps a person with a large cascade", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      await pay(store, "t", 2);
      const drafts = Array.from({ length: 2 * planTargetsAtOnceMax }, (_, index) =>
        draftOf("screening", `s${index}`, { ...seen(2), related_person_id: "ada" }),
      );
      await store.write(drafts, { resourceType: "screening" });
      const id = await store.request(ada);
      await requireWait(store, id, 7);
      await processOn(store, id, 7);
    });

    it("keeps many persons, whose deletions share a pass", async (test) => {
      const { store } = await open(engine, test);
      await store.setFloor("transaction", 5);
      const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
      await store.write(
        ids.map((person) => draftOf("person", person)),
        { resourceType: "person" },
      );
      const pays = ids.map((id, index) => {
        const fields = { ...seen(index % 2 === 0 ? 1 : 3), sender_id: id, sender_country: "DE" };
        return draftOf("transaction", `t${index}`, fields);
      });
      await store.write(pays, { mode: "append" });
      const deletions: string[] = [];
      for (const person of ids) deletions.push(await store.request(keyOf("person", person)));
      const { now } = worker;
      const claim = { now, leaseUntil: now + 60_000, claimant: "test" };
      assert.deepEqual(await store.claimDeletions(claim, 512), []);
      for (const [index, id] of deletions.entries()) {
        const until = onDay(index % 2 === 0 ? 6 : 8);
        assert.equal((await store.deletionOf(id)).floorUntil, until);
      }
    });
  });
}
