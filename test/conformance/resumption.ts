// An erasure that is interrupted at any point is resumed by the next process that opens the store, with the
// same result.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, operator, organization, transaction, worker } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

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
