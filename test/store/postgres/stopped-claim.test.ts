// A process that stops while it plans a large deletion on PostgreSQL.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Client } from "pg";
import { acme, draftOf, keyOf, onDay, operator, organization } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const server = await usePostgres();

it("ends the plan of a large deletion when it stops; the next claim makes it", async (test) => {
  const store = await openTestStore(await server.makeDatabase(), { role: "serve" });
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  const checks = Array.from({ length: 2_500 }, (_, index) =>
    draftOf("transaction_check", `c${index}`, { related_tx_ids: ["t"] }),
  );
  await store.write(checks, { resourceType: "transaction_check" });
  const id = await store.request(keyOf("transaction", "t"));
  const stop = new AbortController();
  const query: unknown = Reflect.get(Client.prototype, "query");
  assert.ok(typeof query === "function");
  let later = 0;
  test.mock.method(Client.prototype, "query", function note(this: Client, ...args: unknown[]) {
    const text = JSON.stringify(args[0] ?? "");
    if (stop.signal.aborted) later += 1;
    if (text.includes("deletion_request_id = $1 AND status = 'pending'")) stop.abort();
    return Reflect.apply(query, this, args);
  });
  const claim = { now: onDay(9), leaseUntil: onDay(10), claimant: "test" };
  assert.deepEqual(await store.claimDeletions({ ...claim, stopping: stop.signal }, 5), []);
  assert.ok(later > 0 && later < 20, `${later} statements`);
  test.mock.restoreAll();
  assert.equal((await store.deletionOf(id)).status, "pending");
  const [begun, ...others] = await store.claimDeletions(claim, 5);
  assert.deepEqual([begun?.deletionRequestId, begun?.status, others], [id, "processing", []]);
  await store.close();
});
