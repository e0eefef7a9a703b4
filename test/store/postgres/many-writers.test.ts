// Three stores on one database write, update and delete the same records concurrently: nothing
// fails, nothing deadlocks. On one server, or on the cluster of SLUICE_TEST_CITUS_WORKERS, where
// the locks of shards matter too.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  acme,
  draftOf,
  keyOf,
  mark,
  operator,
  organization,
  transaction,
} from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { makeRandom } from "../../support/random.ts";
import { makeTestSeal } from "../../support/seal.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const stores = 3;
const clientsOfEach = 4;
const requestsOfEach = 20;
/** So few that all write to the same ones. */
const shared = 40;
const farAway = Number.MAX_SAFE_INTEGER;

const server = await usePostgres({ own: true, settings: { logging_collector: "on" } });
const url = await server.makeDatabase();

describe("many writers on one database", () => {
  it("neither fail nor deadlock", async () => {
    const sealReceipt = makeTestSeal();
    const open = await Promise.all(
      Array.from({ length: stores }, () => openTestStore(url, { role: "serve", sealReceipt })),
    );
    await open[0]?.createOrganization(organization(acme), operator);
    const working = new AbortController();
    const deleting = open.map((store, index) => deleteWhile(store, `w${index}`, working.signal));
    const writing = open.flatMap((store, index) =>
      Array.from({ length: clientsOfEach }, (_, client) => send(store, index * 100 + client)),
    );
    await Promise.all(writing);
    working.abort();
    const deleted = (await Promise.all(deleting)).reduce((sum, count) => sum + count, 0);
    assert.ok(deleted > 0, "nothing was deleted");
    for (const store of open) await store.requireConsistent();
    await Promise.all(open.map((store) => store.close()));
    const [log] = await server.query("SELECT pg_read_file(pg_current_logfile()) AS text");
    assert.doesNotMatch(String(log?.["text"]), /deadlock/);
  });
});

/** One client: its number determines what it sends, so that a run can be repeated. */
async function send(store: TestStore, client: number): Promise<void> {
  const random = makeRandom(client + 1);
  const anyShared = () => `s${random.integer(1, shared)}`;
  for (let count = 0; count < requestsOfEach; count += 1) {
    const id = `${client}-${count}`;
    const idempotency = mark(id);
    const kind = random.integer(0, 3);
    if (kind === 0) {
      const drafts = [1, 2, 3].map((item) => transaction(`t${id}-${item}`));
      await store.write(drafts, { idempotency });
    } else if (kind === 1) {
      const check = { related_tx_ids: [...new Set([anyShared(), anyShared()])] };
      const drafts = [1, 2].map((item) => draftOf("transaction_check", `c${id}-${item}`, check));
      await store.write(drafts, { resourceType: "transaction_check", idempotency });
    } else if (kind === 2) {
      const ids = new Set([anyShared(), anyShared(), anyShared()]);
      const drafts = [...ids].map((name) => transaction(name, { amount: client }));
      await store.write(drafts, { mode: "append", lenient: true, idempotency });
    } else {
      const request = { reason: "asked for", deletionRequestId: `del_${id}`, dueAt: 0 };
      await store.requestDeletion({ ...keyOf("transaction", anyShared()), ...request }, operator);
    }
  }
}

/** As the worker does. Returns how many deletions it completed. */
async function deleteWhile(
  store: TestStore,
  claimant: string,
  stopped: AbortSignal,
): Promise<number> {
  for (let completed = 0; ;) {
    const now = Date.now();
    const claimed = await store.claimOne({ now, leaseUntil: farAway, claimant });
    if (claimed === undefined) {
      if (stopped.aborted) return completed;
      await new Promise((resolve) => void setImmediate(resolve));
      continue;
    }
    const act = { actor: "worker", now };
    for (let done = false; !done;) {
      if (!(await store.eraseOne(claimed.deletionRequestId, 10, act))) continue;
      done = (await store.completeOne(claimed.deletionRequestId, act)) !== undefined;
    }
    completed += 1;
  }
}
