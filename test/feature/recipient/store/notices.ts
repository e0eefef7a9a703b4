// What recipients learn of erasures: a notice for each erased record in the feed, and who acknowledged it; the same on
// every engine.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypes } from "../../../../src/domain/record-types.ts";
import type { ResourceType } from "../../../../src/domain/record-type.ts";
import type { TestStore } from "../../../support/test-store.ts";
import { type Engine, openSite, openAcme } from "../../../conformance/engine.ts";
import { recipients } from "../../../../src/feature/recipient/store/part.ts";
import { beginning, entry, page, prepare, sealed } from "../../../conformance/replaying.ts";
import { deleteNow, setFloor } from "../../../conformance/restricted.ts";
import {
  deletionRequestId,
  prepareErasure,
  resume,
  workerMoves,
} from "../../../conformance/joint-completion.ts";
import {
  acme,
  keyOf,
  operator as act,
  organization,
  other,
  seen,
  transaction,
  worker,
} from "../../../conformance/scene.ts";

const types = recordTypes.map(({ resourceType }) => resourceType);

async function feed(store: TestStore, wanted: readonly string[] = types, organizationId = acme) {
  const { settled: through } = await store.settledArrival();
  const query = { organizationId, after: 0, through, content: false, limit: 1_000 };
  return store.arrivals.list({ ...query, types: wanted });
}

export async function told(
  store: TestStore,
  wanted?: readonly string[],
): Promise<readonly string[]> {
  const events = await feed(store, wanted);
  return events.map(({ resourceId, notice }) => `${notice?.kind ?? "change"} ${resourceId}`);
}

export function register(store: TestStore, name: string, taken: readonly ResourceType[]) {
  return store.of(recipients).createRecipient({ organizationId: acme, name, types: taken }, act);
}

async function openOrganizations(engine: Engine, test: Parameters<typeof openSite>[1]) {
  const site = await openSite(engine, test);
  for (const id of [acme, other]) await site.store.createOrganization(organization(id), act);
  return site.store;
}

async function erase(store: TestStore, id: string, organizationId = acme): Promise<string> {
  const deletion = await store.request(keyOf("transaction", id, organizationId));
  await store.processAll();
  return deletion;
}

async function acknowledge(store: TestStore, name: string, changeNo: number): Promise<void> {
  const one = { organizationId: acme, name, changeNo, offset: `${changeNo}`, now: act.now + 9 };
  assert.ok(await store.of(recipients).acknowledge(one));
}

const notYet = 0;
const late = Number.MAX_SAFE_INTEGER;

/** The number of notices that each part has removed. */
async function purge(store: TestStore, before: number): Promise<readonly number[]> {
  const parts: number[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const part = await store.of(recipients).purgeNotices({ before, after }, act);
    parts.push(part.removed);
    after = part.next;
  }
  return parts;
}

export function testNotices(engine: Engine): void {
  describe(`${engine.name}: notices of erasures`, () => {
    it("tell recipients the erased records in the order of arrival, in place of their changes", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "all", ["transaction", "transaction_check"]);
      await store.write(transaction("t"));
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      await store.write(transaction("stays"));
      await store.write(transaction("t"), { organizationId: other });
      const id = await erase(store, "t");
      await erase(store, "t", other);
      const events = await told(store);
      assert.equal(events[0], "change stays");
      assert.deepEqual(events.slice(1, 3).toSorted(), ["erased c", "erased t"]);
      assert.deepEqual(events.slice(3), [`completed ${id}`]);
      assert.deepEqual(await told(store, ["transaction_check"]), ["erased c"]);
      assert.deepEqual(await feed(store, types, other), []);
      const numbers = (await feed(store)).map(({ changeNo }) => changeNo);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((one, two) => one - two),
      );
    });

    it("come before the changes of a record that has the id again", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "all", ["transaction"]);
      await store.write(transaction("t"));
      await erase(store, "t");
      await store.write(transaction("t"));
      const events = (await told(store)).filter((text) => text.endsWith(" t"));
      assert.deepEqual(events, ["erased t", "change t"]);
    });

    it("are written only of types that a recipient takes", async (test) => {
      const store = await openOrganizations(engine, test);
      await store.write(transaction("early"));
      await erase(store, "early");
      await register(store, "checks", ["transaction_check"]);
      await store.write(transaction("t"));
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      const id = await erase(store, "t");
      assert.deepEqual(await told(store), ["erased c"]);
      const [only, ...others] = await store.listInformed(id, acme);
      assert.deepEqual(
        [only?.name, only?.resourceType, others],
        ["checks", "transaction_check", []],
      );
    });

    it("are counted where a deletion is completed, so that they are not taken for others that write", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "r", ["transaction"]);
      await store.write(transaction("t"));
      await store.add("person", "p");
      const deletions = [keyOf("transaction", "t"), keyOf("person", "p")];
      for (const key of deletions) await store.request(key);
      const lease = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "test" };
      const claimed = await store.claimDeletions(lease, 2);
      const ids = claimed.map((one) => one.deletionRequestId);
      for (const id of ids) await store.eraseStep([id], 10, worker);
      const { latest } = await store.settledArrival();
      const outcomes = await store.completeDeletions(ids, worker);
      const counts = outcomes.map((one) => (one.result === "completed" ? one.notices : one.result));
      assert.deepEqual(new Set(counts), new Set([0, 1]));
      assert.equal((await store.settledArrival()).latest, latest + 1);
    });

    it("wake those that wait for changes", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "all", ["transaction"]);
      await store.write(transaction("t"));
      const { settled: after } = await store.settledArrival();
      await erase(store, "t");
      const { settled: through } = await store.settledArrival();
      const organizations = [acme, other];
      assert.deepEqual(
        [...new Set(await store.arrivals.find({ organizations, after, through }))],
        [acme],
      );
    });

    it("end when every recipient of their type has acknowledged them", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "slow", ["transaction"]);
      await register(store, "fast", ["transaction", "person"]);
      await register(store, "persons", ["person"]);
      await store.write(transaction("t"));
      const id = await erase(store, "t");
      const last = (await feed(store)).at(-1)?.changeNo ?? 0;
      await acknowledge(store, "fast", last);
      assert.deepEqual(await purge(store, notYet), [0]);
      const lags = await store.of(recipients).listWaiting(acme, []);
      assert.deepEqual(
        lags.map(({ name, waitingSince }) => [name, waitingSince !== undefined]),
        [
          ["fast", false],
          ["persons", false],
          ["slow", true],
        ],
      );
      const hidden = await store
        .of(recipients)
        .listWaiting({ after: undefined, limit: 99 }, ["transaction"]);
      assert.ok(hidden.every(({ waitingSince }) => waitingSince === undefined));
      await acknowledge(store, "slow", last - 1);
      const [, slow] = await store.listInformed(id, acme);
      assert.deepEqual([slow?.name, slow?.acknowledgedAt], ["slow", undefined]);
      assert.deepEqual(await purge(store, notYet), [1]);
      await acknowledge(store, "slow", last);
      assert.deepEqual(await purge(store, notYet), [1]);
      assert.deepEqual(await feed(store), []);
      const informed = await store.listInformed(id, acme);
      assert.deepEqual(
        informed.map(({ name, acknowledgedAt }) => [name, acknowledgedAt]),
        [
          ["fast", act.now + 9],
          ["slow", act.now + 9],
        ],
      );
    });

    it("end with their time, with the last recipient, and with the organization", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "r", ["transaction"]);
      for (const end of ["time", "recipient"]) {
        await store.write(transaction(end));
        const id = await erase(store, end);
        assert.equal((await feed(store)).length, 2);
        if (end === "recipient") {
          assert.ok(
            await store.of(recipients).removeRecipient({ organizationId: acme, name: "r" }, act),
          );
        }
        await purge(store, end === "time" ? late : notYet);
        assert.deepEqual(await feed(store), []);
        const [only] = await store.listInformed(id, acme);
        assert.equal(only?.acknowledgedAt, undefined);
        assert.equal(only?.removedAt !== undefined, end === "recipient");
        assert.equal(only?.expiredAt !== undefined, end === "time");
      }
      await store.requireConsistent();
    });

    it("are not acknowledged by a recipient that was away until they had ended", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "away", ["transaction"]);
      await register(store, "there", ["transaction"]);
      await store.write(transaction("t"));
      await store.write(transaction("stays"));
      const id = await erase(store, "t");
      const last = (await feed(store)).at(-1)?.changeNo ?? 0;
      await acknowledge(store, "there", last);
      await purge(store, late);
      await acknowledge(store, "away", last);
      const states = (await store.listInformed(id, acme)).map((one) => [
        one.name,
        one.acknowledgedAt !== undefined,
        one.expiredAt !== undefined,
      ]);
      assert.deepEqual(states, [
        ["away", false, true],
        ["there", true, false],
      ]);
    });

    it("are not written for an organization that is closed", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "r", ["transaction"]);
      for (const id of ["t", "u"]) await store.write(transaction(id));
      const first = await erase(store, "t");
      const second = await store.request(keyOf("transaction", "u"));
      await store.closeOrganization(acme, act);
      assert.deepEqual(await store.of(recipients).listRecipients(acme), []);
      await store.processAll();
      assert.deepEqual(await store.listInformed(second, acme), []);
      await purge(store, notYet);
      assert.deepEqual(await feed(store), []);
      assert.ok((await store.listInformed(first, acme))[0]?.removedAt);
    });

    it("are not acknowledged by a later recipient of the same name", async (test) => {
      const store = await openOrganizations(engine, test);
      await register(store, "r", ["transaction_check", "screening"]);
      await register(store, "s", ["screening"]);
      await store.write(transaction("t"));
      for (const check of ["a", "b", "c"]) {
        await store.add("transaction_check", check, { related_tx_ids: ["t"] });
      }
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      while ((await store.listInformed(id, acme)).length === 0) await store.eraseOne(id, 1);
      await store.of(recipients).removeRecipient({ organizationId: acme, name: "r" }, act);
      await register(store, "r", ["transaction_check"]);
      await store.finish(id);
      const last = (await feed(store)).at(-1)?.changeNo ?? 0;
      assert.ok(last > 0);
      await acknowledge(store, "r", last);
      await purge(store, notYet);
      const [only, ...others] = await store.listInformed(id, acme);
      assert.deepEqual([only?.name, only?.acknowledgedAt, others], ["r", undefined, []]);
      assert.ok(only?.removedAt);
    });

    it("are removed a few organizations at a time", async (test) => {
      const { store } = await openSite(engine, test);
      const ids = Array.from({ length: 60 }, (_, at) => `org_${at}`);
      for (const organizationId of ids) {
        await store.createOrganization(organization(organizationId), act);
        const wanted = { organizationId, name: "r", types: ["transaction"] as const };
        await store.of(recipients).createRecipient(wanted, act);
        await store.write(transaction("t"), { organizationId });
        await store.request(keyOf("transaction", "t", organizationId));
      }
      await store.processAll();
      for (const organizationId of ids) {
        await store.of(recipients).removeRecipient({ organizationId, name: "r" }, act);
      }
      const parts = await purge(store, notYet);
      assert.ok(parts.length > 1 && parts.every((removed) => removed < 100), parts.join());
      assert.equal(
        parts.reduce((sum, removed) => sum + removed),
        2 * ids.length,
      );
      for (const organizationId of ids)
        assert.deepEqual(await feed(store, types, organizationId), []);
    });

    it("are in the order of the keys, so that nobody sees which records were moved", async (test) => {
      const { store } = await openAcme(engine, test);
      await setFloor(store, "customer_sar", 5);
      await register(store, "all", ["customer_sar", "person"]);
      await store.add("person", "p", seen(2));
      await store.add("customer_sar", "s", { ...seen(2), related_person_id: "p" });
      await deleteNow(store, ["person", "p"]);
      assert.deepEqual((await told(store)).slice(0, 2), ["erased s", "erased p"]);
    });

    for (const last of ["claimed", "step 2", "step 4", "completed"]) {
      it(`tell each erased record once if the erasure is interrupted after ${last}`, async (test) => {
        const site = await openSite(engine, test);
        await prepareErasure(site.store);
        await register(site.store, "all", types);
        for await (const move of workerMoves(site.store)) if (move === last) break;
        const reopened = await site.reopen();
        await resume(reopened);
        const notices = (await feed(reopened)).filter(({ notice }) => notice !== undefined);
        const ids = notices.map(({ resourceId }) => resourceId).toSorted();
        assert.deepEqual(ids, ["a", "c", deletionRequestId, "n", "t"]);
      });
    }

    it("tell recipients again what a replay erases", async (test) => {
      const { store } = await openSite(engine, test, sealed);
      await prepare(store);
      const taken = ["transaction"] as const;
      await store
        .of(recipients)
        .createRecipient({ organizationId: acme, name: "copies", types: taken }, act);
      await store.replay.beginReplay(beginning, act);
      await store.replay.queueReplay([entry(1, "a")]);
      await store.replay.startReplay();
      await store.replay.reopenDeletions(page, act);
      await store.processAll();
      await store.replay.finishReplay(act);
      const { settled: through } = await store.settledArrival();
      const query = {
        organizationId: acme,
        after: 0,
        through,
        content: false,
        limit: 100,
        types: taken,
      };
      const events = await store.arrivals.list(query);
      const notices = events.filter(({ notice }) => notice !== undefined);
      assert.deepEqual(
        notices.map(({ resourceId, notice }) => [notice?.kind, resourceId]),
        [
          ["erased", "a"],
          ["completed", "del_before_1"],
        ],
      );
      const [only] = await store.listInformed("del_before_1", acme);
      assert.deepEqual([only?.name, only?.acknowledgedAt], ["copies", undefined]);
    });
  });
}
