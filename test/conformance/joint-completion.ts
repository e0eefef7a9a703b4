// Deletions that are completed together: each is evaluated separately, and none affects another. An erasure that is
// interrupted at any point is resumed by the next process that opens the store, with the same result. The search in the
// audit trail and the verification of parts of its chain; the same on every engine.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Completion } from "../../src/store/interface/deletion.ts";
import { makeTestSeal } from "../support/seal.ts";
import { type Engine, openSite, useSite, openAcme } from "./engine.ts";
import { acme, draftOf, keyOf, operator, organization, transaction, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";
import type { Store } from "../../src/store/interface/store.ts";
import type { AuditQuery } from "../../src/store/interface/trail.ts";

const names = ["a", "b", "c"] as const;

/** Three transactions with a check each, and a claimed deletion of each. */
async function prepare(store: TestStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) {
    await store.add("transaction", name);
    await store.add("transaction_check", `check ${name}`, { related_tx_ids: [name] });
    ids.push(await store.request(keyOf("transaction", name)));
    await store.claim();
  }
  return ids;
}

async function erase(store: TestStore, ids: readonly string[]): Promise<void> {
  for (const id of ids) while (!(await store.eraseOne(id, 5)));
}

function resultsOf(outcomes: readonly Completion[]): readonly string[] {
  return outcomes.map(({ result }) => result);
}

async function requireGone(store: TestStore, gone: readonly string[]): Promise<void> {
  for (const name of gone) {
    assert.equal(await store.exists(keyOf("transaction", name)), false, name);
    assert.equal(await store.exists(keyOf("transaction_check", `check ${name}`)), false, name);
  }
}

async function receiptsOf(store: TestStore): Promise<readonly string[]> {
  const kept = await store.listReceipts(0, 10);
  return kept.map(({ receipt }) => receipt.deletion_request_id);
}

export function testJointClaim(engine: Engine): void {
  describe(`${engine.name}: claiming several deletions together`, () => {
    it("leaves a record to its own deletion that belongs to what stays, too", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["goes", "stays"]) await store.add("transaction", id);
      const owners = { related_tx_ids: ["goes", "stays"] };
      await store.add("transaction_check", "of both", {
        ...owners,
        timestamp: "2026-01-31T09:30:00Z",
      });
      const rule = { keepDays: 5, countedFrom: "last_seen", redactable: true } as const;
      const kind = { organizationId: acme, resourceType: "transaction_check" };
      await store.retention.setFloor({ ...kind, rule }, operator);
      const goes = await store.request(keyOf("transaction", "goes"));
      await store.request(keyOf("transaction_check", "of both"));
      const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "test" };
      const claimed = await store.claimDeletions(claim, 9);
      assert.deepEqual(
        claimed.map(({ deletionRequestId }) => deletionRequestId),
        [goes],
      );
      assert.equal((await store.finish(goes)).status, "completed");
      assert.deepEqual(await store.countRecords(acme), { transaction: 1, transaction_check: 1 });
    });
  });
}

export function testJointCompletion(engine: Engine): void {
  describe(`${engine.name}: completing several deletions together`, () => {
    it("completes all that have nothing left, each with its own receipt", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["completed", "completed", "completed"]);
      for (const id of ids) {
        const { status, erased } = await store.deletionOf(id);
        assert.equal(status, "completed");
        assert.deepEqual(erased, { transaction: 1, transaction_check: 1 });
      }
      assert.deepEqual(await receiptsOf(store), ids);
      await requireGone(store, names);
    });

    it("does not complete one that has something left, but completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      await store.add("screening", "late", { related_tx_id: "b" });
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["completed", "again", "completed"]);
      assert.equal((await store.deletionOf(b)).status, "processing");
      assert.deepEqual(await receiptsOf(store), [a, c]);
      await store.finish(b);
      assert.deepEqual(await receiptsOf(store), [a, c, b]);
      await requireGone(store, names);
      assert.equal(await store.exists(keyOf("screening", "late")), false);
    });

    it("postpones only one that meets a hold, and reports only that one", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      const [a = "", b = "", c = ""] = ids;
      await erase(store, ids);
      const late = keyOf("screening", "late");
      await store.add("screening", "late", { related_tx_id: "a" });
      await store.hold(late);
      const outcomes = await store.completeDeletions(ids, worker);
      assert.deepEqual(resultsOf(outcomes), ["failed", "completed", "completed"]);
      assert.equal((await store.deletionOf(a)).waitingFor, "a hold on screening late");
      assert.equal(await store.exists(late), true);
      assert.deepEqual(await receiptsOf(store), [b, c]);
      await requireGone(store, ["b", "c"]);
    });

    it("refuses one that is not being processed, and completes the others", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      await store.add("transaction", "cancelled");
      const cancelled = await store.request(keyOf("transaction", "cancelled"));
      await store.cancelDeletion(cancelled, operator);
      const [a = "", b = "", c = ""] = ids;
      const outcomes = await store.completeDeletions([a, cancelled, "del_unknown", b, c], worker);
      const expected = ["completed", "failed", "failed", "completed", "completed"];
      assert.deepEqual(resultsOf(outcomes), expected);
      assert.equal((await store.deletionOf(cancelled)).status, "cancelled");
      assert.equal(await store.exists(keyOf("transaction", "cancelled")), true);
      assert.deepEqual(await receiptsOf(store), ids);
    });

    it("completes each once when requested twice at the same time", async (test) => {
      const { store } = await openSite(engine, test, { sealReceipt: makeTestSeal() });
      const ids = await prepare(store);
      await erase(store, ids);
      const both = await Promise.all([
        store.completeDeletions(ids, worker),
        store.completeDeletions(ids, worker),
      ]);
      for (const index of ids.keys()) {
        const results = new Set(both.map((outcomes) => outcomes[index]?.result));
        assert.deepEqual(results, new Set(["completed", "failed"]));
      }
      assert.deepEqual((await receiptsOf(store)).toSorted(), ids.toSorted());
    });
  });
}

export const deletionRequestId = "del_broken_off";

/** A transaction with dependents of every kind: 4 to erase, 2 references to redact. */
export async function prepareErasure(store: TestStore): Promise<void> {
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  await store.add("transaction", "stays");
  await store.write(transaction("t", { amount: 5 }), { mode: "update" });
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.add("transaction_alert", "a", { related_check_id: "c" });
  await store.add("screening", "n", { related_tx_id: "t" });
  for (const id of ["x", "y"]) {
    await store.add("transaction_alert", id, { related_tx_ids: ["t", "stays"] });
  }
  await store.request(keyOf("transaction", "t"), { deletionRequestId });
}

/** The steps of a worker, one after another; each is durable before the next. */
export async function* workerMoves(store: TestStore): AsyncGenerator<string> {
  await store.claim();
  yield "claimed";
  for (let step = 1; ; step += 1) {
    const done = await store.eraseOne(deletionRequestId, 1);
    yield `step ${step}`;
    if (done) break;
  }
  await store.completeOne(deletionRequestId);
  yield "completed";
}

/** Resumes long after every lease has expired. */
export async function resume(store: TestStore): Promise<void> {
  const later = worker.now + 60 * 60_000;
  const { status } = await store.deletionOf(deletionRequestId);
  if (status === "completed") return;
  const claimed = await store.claim(later);
  assert.equal(claimed?.deletionRequestId, deletionRequestId);
  await store.finish(deletionRequestId, 2);
}

async function requireErased(store: TestStore): Promise<void> {
  const deletion = await store.deletionOf(deletionRequestId);
  assert.equal(deletion.status, "completed");
  assert.deepEqual(deletion.erased, {
    transaction: 1,
    transaction_check: 1,
    transaction_alert: 1,
    screening: 1,
  });
  assert.equal(deletion.redacted, 2);
  assert.deepEqual(await store.countRecords(acme), { transaction: 1, transaction_alert: 2 });
  for (const id of ["x", "y"]) {
    const [payload] = await store.payloadsOf(keyOf("transaction_alert", id));
    assert.deepEqual(payload?.["related_tx_ids"], ["stays"]);
  }
  assert.deepEqual((await store.write(transaction("t"))).drafts, ["created"]);
  const check = draftOf("transaction_check", "c");
  const outcome = await store.write(check, { resourceType: "transaction_check" });
  assert.deepEqual(outcome.drafts, ["created"]);
  await store.requireConsistent();
}

export function testResumption(engine: Engine): void {
  describe(`${engine.name}: an interrupted erasure`, () => {
    const moves = ["claimed", ...[1, 2, 3, 4, 5, 6].map((step) => `step ${step}`)];
    for (const last of moves) {
      it(`resumes after ${last}`, async (test) => {
        const site = await openSite(engine, test);
        await prepareErasure(site.store);
        const taken: string[] = [];
        for await (const move of workerMoves(site.store)) {
          taken.push(move);
          if (move === last) break;
        }
        assert.equal(taken.at(-1), last);
        const reopened = await site.reopen();
        await reopened.requireConsistent();
        await resume(reopened);
        await requireErased(reopened);
      });
    }

    it("runs to its end when nothing interrupts it", async (test) => {
      const site = await openSite(engine, test);
      await prepareErasure(site.store);
      const taken: string[] = [];
      for await (const move of workerMoves(site.store)) taken.push(move);
      assert.deepEqual(taken, [...moves, "completed"]);
      await requireErased(site.store);
    });
  });
}

const hour = 3_600_000;
const count = 40;

const any: AuditQuery = {
  actor: undefined,
  organizationId: undefined,
  action: undefined,
  from: undefined,
  until: undefined,
  before: undefined,
  limit: 100,
  examinedMax: 100,
};

export function testTrail(engine: Engine): void {
  describe(`${engine.name}: searching the audit trail`, () => {
    const site = useSite(engine);
    let store: Store;
    let first: number;
    before(async () => {
      ({ store } = site());
      first = (await store.trail.head()).no + 1;
      // One an hour, of two people and two actions.
      for (let index = 0; index < count; index += 1) {
        const note = {
          action: index % 4 < 2 ? ("receipt.export" as const) : ("receipt_key.create" as const),
          organizationId: index === 7 ? "acme" : undefined,
          subject: `subject ${index}`,
          detail: {},
        };
        const actor = index % 2 === 0 ? "anna" : "ben";
        await store.trail.note(note, { actor, now: operator.now + index * hour });
      }
    });

    const search = async (query: Partial<AuditQuery>) => {
      const { entries, next } = await store.trail.search({ ...any, ...query });
      return { found: entries.map(({ entryNo }) => entryNo - first), next };
    };

    it("is searched by all that is given, newest first", async () => {
      assert.deepEqual((await search({ actor: "anna", limit: 3 })).found, [38, 36, 34]);
      assert.deepEqual((await search({ organizationId: "acme" })).found, [7]);
      assert.deepEqual((await search({ action: "receipt", limit: 3 })).found, [37, 36, 33]);
      assert.deepEqual((await search({ action: "receipt.export", actor: "ben" })).found[0], 37);
      assert.deepEqual((await search({ action: "receipt.exp" })).found, []);
      const from = operator.now + 10 * hour;
      const until = operator.now + 13 * hour;
      assert.deepEqual(await search({ from, until }), { found: [12, 11, 10], next: undefined });
      assert.deepEqual(
        (await search({ until: operator.now + 2 * hour })).found.slice(0, 2),
        [1, 0],
      );
      assert.deepEqual((await search({ from: operator.now + count * hour })).found, []);
    });

    it("is read in parts, of which none reads more than it may", async () => {
      const found: number[] = [];
      let place: number | undefined;
      do {
        const part = await search({ actor: "ben", before: place, limit: 4, examinedMax: 7 });
        assert.ok(part.found.length <= 4);
        found.push(...part.found);
        place = part.next;
      } while (place !== undefined && place > first);
      assert.deepEqual(
        found,
        Array.from({ length: count / 2 }, (_, index) => count - 1 - 2 * index),
      );
    });

    it("is counted by day, with the actions of days among the last entries", async () => {
      const from = operator.now - 2 * 24 * hour;
      const query = { from, days: 5, examinedMax: 100 };
      const days = await store.trail.countDays(query);
      assert.deepEqual(
        days.slice(2).map((day) => day.entries),
        [24, count - 24, 0],
      );
      assert.deepEqual(
        days.slice(2).map(({ actions }) => actions),
        [
          [
            ["receipt.export", 12],
            ["receipt_key.create", 12],
          ],
          [
            ["receipt.export", 8],
            ["receipt_key.create", 8],
          ],
          [],
        ],
      );
      const bounded = await store.trail.countDays({ ...query, examinedMax: count - 1 });
      assert.deepEqual(
        bounded.map((day) => day.entries),
        days.map((day) => day.entries),
      );
      assert.deepEqual(
        bounded.map(({ actions }) => actions.length),
        [0, 0, 0, 2, 0],
      );
    });

    it("is verified part by part, each tied to the one before by its hash", async () => {
      const head = await store.trail.head();
      let last = await store.trail.verify({ no: 0, hash: "0".repeat(64), limit: 7 });
      while (!last.isEnd && last.fault === undefined) {
        last = await store.trail.verify({ no: last.no, hash: last.hash, limit: 7 });
      }
      assert.deepEqual(last, { ...head, fault: undefined, isEnd: true });
      const wrong = await store.trail.verify({ no: first, hash: "0".repeat(64), limit: 7 });
      assert.equal(wrong.fault, `The audit chain is broken at entry ${first + 1}.`);
      assert.equal(wrong.no, first);
    });
  });
}
