// Organizations take turns in the connections: one with very many requests, or whose requests wait for each other, does
// not keep another waiting.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import { limits } from "../../../src/domain/limits.ts";
import { defaultConnections } from "../../../src/store/interface/connection-settings.ts";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore } from "../../support/test-store.ts";

const postgres = await usePostgres();

describe("an organization with as many requests as it may have", () => {
  it("keeps requests of another, groups of writes and work of the service waiting for few of them", async () => {
    const connections = { ...defaultConnections, poolMax: 2 };
    const url = await postgres.makeDatabase();
    const store = await openTestStore(url, { role: "command", connections });
    for (const id of [acme, "other"]) await store.createOrganization(organization(id), operator);
    let ended = 0;
    const many = Array.from({ length: limits.organizationRequestsMax }, async () => {
      await store.readHistory(keyOf("transaction", "t"));
      ended += 1;
    });
    const others = [
      () => store.readHistory({ ...keyOf("transaction", "t"), organizationId: "other" }),
      () => store.write(transaction("u"), { organizationId: "other" }),
      () => store.listDeletions({ limit: 1 }),
      () => store.claimDeletions({ now: 0, leaseUntil: 0, claimant: "worker" }, 1),
    ];
    const before = await Promise.all(others.map((work) => work().then(() => ended)));
    await Promise.all(many);
    await store.close();
    for (const [at, count] of before.entries()) assert.ok(count < 64, `${at}: after ${count}`);
  });

  it("leaves connections to others while its own requests wait for a lock", async () => {
    const url = await postgres.makeDatabase();
    const connections = { ...defaultConnections, poolMax: 4 };
    const store = await openTestStore(url, { role: "command", connections });
    for (const id of [acme, "other"]) await store.createOrganization(organization(id), operator);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query("BEGIN");
    await other.query(
      `SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ${acme}', 0))`,
    );
    const holds = Array.from({ length: 8 }, (_, at) => store.hold(keyOf("transaction", `t${at}`)));
    await store.readHistory({ ...keyOf("transaction", "t"), organizationId: "other" });
    await other.end();
    await Promise.all(holds);
    await store.close();
  });
});
