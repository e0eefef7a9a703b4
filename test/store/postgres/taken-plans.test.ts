// A process that plans a deletion for very long, or is suspended in the middle, has locked the plans of its
// organization. Other processes go on with the deletions of others.

import assert from "node:assert/strict";
import { it } from "node:test";
import { Client } from "pg";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const postgres = await usePostgres();

it("a claim leaves out an organization whose plans another process has locked, and nobody else", async () => {
  const url = await postgres.makeDatabase();
  const store = await openTestStore(url, { role: "serve" });
  const ids = new Map<string, string>();
  for (const organizationId of [acme, "zenith"]) {
    await store.createOrganization(organization(organizationId), operator);
    await store.write(transaction("t"), { organizationId });
    ids.set(organizationId, await store.request({ ...keyOf("transaction", "t"), organizationId }));
  }
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query("BEGIN");
  await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ${acme}', 0))`);
  const claimed = async () => {
    const claim = { now: Date.now(), leaseUntil: Date.now() + 60_000, claimant: "worker" };
    return (await store.claimDeletions(claim, 9)).map(({ organizationId }) => organizationId);
  };
  assert.deepEqual(await claimed(), ["zenith"]);
  assert.deepEqual(await claimed(), []);
  await other.query("COMMIT");
  await other.end();
  assert.deepEqual(await claimed(), [acme]);
  await store.close();
});
