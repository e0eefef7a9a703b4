// Closing an organization: its writes are rejected, and everything that has its id is erased by one
// deletion, while other organizations keep everything.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/domain/error.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite, type Site } from "./engine.ts";
import {
  acme,
  draftOf,
  keyOf,
  mark,
  newKey,
  newToken,
  noFigures,
  operator,
  organization,
  other,
  transaction,
  worker,
  bytesOf,
} from "./scene.ts";
import { storeSamples } from "../feature/samples.ts";
import type { TestStore } from "../support/test-store.ts";

const deletionRequestId = "del_everything";
const records = 12;
const erased = { person: 1, transaction: records, transaction_check: records };

/** Two organizations with the same records, related to each other, with histories and replies. */
async function fill(store: TestStore): Promise<void> {
  await Promise.all([fillOne(store, acme), fillOne(store, other)]);
}

async function fillOne(store: TestStore, organizationId: string): Promise<void> {
  await store.createOrganization(organization(organizationId), operator);
  for (const sample of storeSamples)
    await sample.fill?.(store, organizationId, { act: operator, types: ["person"] });
  const ids = Array.from({ length: records }, (_, index) => index);
  const options = { organizationId };
  const ofPerson = { organizationId, resourceType: "person" };
  const checks = ids.map((index) =>
    draftOf("transaction_check", `c${index}`, { related_tx_ids: [`t${index}`, "t0"] }),
  );
  await Promise.all([
    ...ids.map((index) =>
      store.write(transaction(`t${index}`), { ...options, idempotency: mark(`${index}`) }),
    ),
    store.write(checks, { ...options, resourceType: "transaction_check" }),
    store.write(draftOf("person", "p"), ofPerson),
  ]);
  const update = { mode: "update" } as const;
  const amounts = ids.map((index) => transaction(`t${index}`, { amount: index }));
  // More changes than a step may remove.
  const names = ids.slice(0, 9).map((name) => draftOf("person", "p", { name: `name ${name}` }));
  await Promise.all([
    store.write(amounts, { ...options, ...update }),
    store.write(names, { ...ofPerson, ...update }),
  ]);
}

async function openFilled(engine: Engine, test: Parameters<typeof openSite>[1]): Promise<Site> {
  const site = await openSite(engine, test, { sealReceipt: makeTestSeal() });
  await fill(site.store);
  return site;
}

/** What features do for the organization ends when it is closed. */
async function requireEnded(store: TestStore): Promise<void> {
  for (const { read } of storeSamples) {
    if (read === undefined) continue;
    const owners = (await read(store)).map(({ organizationId }) => organizationId);
    assert.deepEqual([...new Set(owners)], [other]);
  }
}

async function requireErased(store: TestStore, deletion: Deletion): Promise<void> {
  assert.equal(deletion.status, "completed");
  assert.deepEqual(deletion.erased, erased);
  assert.deepEqual(await store.countRecords(acme), {});
  assert.deepEqual(await store.countRecords(other), erased);
  await requireEnded(store);
  assert.equal((await store.changesOf(keyOf("transaction", "t3", other))).length, 2);
  assert.equal((await store.changesOf(keyOf("person", "p", other))).length, 10);
  await store.requireConsistent();
}

const isClosed = (error: unknown): boolean =>
  error instanceof AppError && error.errorName === "credential_revoked";

const isPaused = (error: unknown): boolean =>
  error instanceof AppError && error.errorName === "unavailable" && error.retryAfterSeconds === 1;

export function testClosing(engine: Engine): void {
  describe(`${engine.name}: a closed organization`, () => {
    it("has no valid keys, and accepts no write, repeated request or deletion", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.createKey(newKey("key_1"), operator);
      await store.createToken(newToken("token"));
      const version = await store.credentialsVersion();
      const closed = await store.closeOrganization(acme, operator);
      assert.equal(closed && "closedAt" in closed && closed.closedAt, operator.now);
      assert.notEqual(await store.credentialsVersion(), version);
      await requireEnded(store);
      const caller = await store.findCaller(bytesOf("token"));
      assert.equal(caller?.key.revokedAt, operator.now);
      assert.equal(caller.organization.closedAt, operator.now);
      for (const options of [{}, { mode: "update" }, { idempotency: mark("0") }] as const) {
        await assert.rejects(store.write(transaction("t0"), options), isClosed);
      }
      await assert.rejects(store.write([transaction("a"), transaction("b")]), isClosed);
      await assert.rejects(store.request(keyOf("transaction", "t0")), isClosed);
      // A neighbour whose write shares the group is not affected.
      const shared = await Promise.allSettled([
        store.write(transaction("new")),
        store.write(transaction("new"), { organizationId: other }),
      ]);
      assert.deepEqual(
        shared.map(({ status }) => status),
        ["rejected", "fulfilled"],
      );
      assert.equal((await store.countRecords(acme))["transaction"], records);
    });

    it("is closed once, and has one deletion", async (test) => {
      const { store } = await openFilled(engine, test);
      assert.equal(await store.closeOrganization("org_unknown", operator), undefined);
      const asked = { organizationId: acme, reason: "ended", requestedBy: "operator" };
      const ask = (id: string) =>
        store.requestOrganizationDeletion(
          { ...asked, deletionRequestId: id },
          { ...operator, actor: "anna" },
        );
      await assert.rejects(ask("del_early"), /not closed/);
      await store.closeOrganization(acme, operator);
      const again = await store.closeOrganization(acme, worker);
      assert.equal(again && "closedAt" in again && again.closedAt, operator.now);
      assert.deepEqual(await ask("del_1"), { deletionRequestId: "del_1", isNew: true });
      assert.deepEqual(await ask("del_2"), { deletionRequestId: "del_1", isNew: false });
      assert.equal((await store.findOrganization(acme))?.deletionRequestId, "del_1");
      assert.equal((await store.deletionOf("del_1")).requester, "anna");
      const actions = (await store.listAudit(0, 100)).map(({ action }) => action);
      assert.equal(actions.filter((action) => action === "organization.close").length, 1);
    });
  });

  describe(`${engine.name}: an organization whose writes are paused`, () => {
    it("accepts none until then, of any kind, and others are not affected", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.pauseWrites(acme, 500);
      const early = { receivedAt: 499 };
      for (const options of [{}, { mode: "update" }, { idempotency: mark("0") }] as const) {
        await assert.rejects(store.write(transaction("t0"), { ...options, ...early }), isPaused);
      }
      const list = [transaction("a"), transaction("b")];
      await assert.rejects(store.write(list, early), isPaused);
      const shared = await Promise.allSettled([
        store.write(transaction("new"), early),
        store.write(transaction("new"), { organizationId: other, ...early }),
      ]);
      assert.deepEqual(
        shared.map(({ status }) => status),
        ["rejected", "fulfilled"],
      );
      assert.equal((await store.write(list, { receivedAt: 500 })).written, 2);
      await store.pauseWrites(acme, 0);
      assert.equal((await store.write(transaction("new"), early)).written, 1);
    });
  });

  describe(`${engine.name}: the deletion of an organization`, () => {
    it("erases everything of it in bounded steps, and nothing else, with one receipt", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.closeAll(deletionRequestId);
      assert.equal((await store.claim())?.deletionRequestId, deletionRequestId);
      let left = 2 * records + 1;
      for (let done = false; !done;) {
        done = await store.eraseOne(deletionRequestId, 4);
        const counts = Object.values(await store.countRecords(acme));
        const now = counts.reduce((sum, count) => sum + count, 0);
        // Where changes were removed before, a step removes twice as many records.
        assert.ok(left - now <= 8, `${left} ${now}`);
        left = now;
        await store.requireConsistent();
      }
      const deletion = await store.finish(deletionRequestId, 4);
      await requireErased(store, deletion);
      const receipt = await store.findReceipt(deletionRequestId, acme);
      assert.equal(receipt?.asked.resource_type, "organization");
      assert.equal(receipt.asked.resource_id, acme);
      assert.equal(await store.claim(), undefined);
    });

    it("continues after a restart between any two steps", async (test) => {
      const site = await openFilled(engine, test);
      await site.store.closeAll(deletionRequestId);
      let { store } = site;
      for (let later = worker.now; ; later += 3_600_000) {
        assert.equal((await store.claim(later))?.deletionRequestId, deletionRequestId);
        const done = await store.eraseOne(deletionRequestId, 9, { ...worker, now: later });
        store = await site.reopen();
        await store.requireConsistent();
        if (done) break;
      }
      await store.claim(worker.now * 1_000_000);
      await requireErased(store, await store.finish(deletionRequestId));
    });

    it("waits while any record is on hold, and erases nothing until then", async (test) => {
      const { store } = await openFilled(engine, test);
      const held = keyOf("person", "p");
      await store.hold(held);
      await store.closeAll(deletionRequestId);
      assert.equal(await store.claim(), undefined);
      const waiting = await store.deletionOf(deletionRequestId);
      assert.deepEqual([waiting.status, waiting.waitingFor], ["pending", "a hold on person p"]);
      assert.deepEqual(await store.deletionFigures(worker.now), noFigures);
      assert.deepEqual(await store.countRecords(acme), erased);
      await store.release(held);
      assert.equal((await store.claim())?.status, "processing");
      assert.equal(await store.hold(held), "being_erased");
      await requireErased(store, await store.finish(deletionRequestId));
    });

    it("waits for a deletion that is processing; pending ones are then completed at once", async (test) => {
      const { store } = await openFilled(engine, test);
      const first = await store.request(keyOf("transaction", "t1"));
      assert.equal((await store.claim())?.deletionRequestId, first);
      const dueAt = worker.now * 1_000;
      const second = await store.request(keyOf("transaction", "t2"), { dueAt });
      await store.closeAll(deletionRequestId);
      assert.equal(await store.claim(), undefined);
      const { waitingFor } = await store.deletionOf(deletionRequestId);
      assert.equal(waitingFor, `the deletion ${first}, which is processing`);
      await store.finish(first);
      const completed = await store.processAll(worker.now + 60_000);
      assert.deepEqual(
        completed.map((deletion) => [deletion.deletionRequestId, deletion.status]),
        [
          [deletionRequestId, "completed"],
          [second, "completed"],
        ],
      );
      assert.deepEqual((await store.deletionOf(second)).erased, {});
      assert.deepEqual(await store.countRecords(acme), {});
    });

    it("is not completed while anything is left", async (test) => {
      const { store } = await openFilled(engine, test);
      await store.closeAll(deletionRequestId);
      await store.claim();
      await store.eraseOne(deletionRequestId, 4);
      assert.equal(await store.completeOne(deletionRequestId), undefined);
      assert.equal((await store.deletionOf(deletionRequestId)).status, "processing");
      await requireErased(store, await store.finish(deletionRequestId));
    });
  });
}
