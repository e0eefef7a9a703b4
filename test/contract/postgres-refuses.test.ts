// The service while its PostgreSQL server refuses its statements: the role has lost a right, no connection is left, or
// nothing may be written. Writes get 503 and leave nothing behind, the log says why once, and no restart is needed.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeCustomer } from "../support/customer.ts";
import { readServiceRole } from "../support/guide-sql.ts";
import { password, urlOf, usePostgres } from "../support/postgres/postgres-server.ts";
import { type Service, startService } from "../support/service.ts";
import { openTestStore } from "../support/test-store.ts";
import { waitFor } from "../support/wait-for.ts";

const role = "sluice_refused";

interface Refusal {
  readonly begin: string;
  readonly end: string;
  /** What the log says. */
  readonly why: RegExp;
  /** Whether readiness reports it, too. */
  readonly isUnready?: true;
}

const refusals: Readonly<Record<string, Refusal>> = {
  "has lost a right": {
    begin: `REVOKE INSERT ON change FROM ${role}`,
    end: `GRANT INSERT ON change TO ${role}`,
    why: /Have the owner of the tables run: GRANT INSERT, UPDATE, DELETE ON change TO sluice_refused;/,
  },
  "has no connection left": {
    begin: `ALTER ROLE ${role} CONNECTION LIMIT 0`,
    end: `ALTER ROLE ${role} CONNECTION LIMIT -1`,
    why: /too many connections for role .*53300/,
  },
  "may not write": {
    begin: `ALTER ROLE ${role} SET default_transaction_read_only = on`,
    end: `ALTER ROLE ${role} RESET default_transaction_read_only`,
    why: /in a read-only transaction \(25006\)/,
    isUnready: true,
  },
};

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;

const server = await usePostgres();

describe("the service on PostgreSQL, when its role", async () => {
  let sent = 0;
  const url = await server.makeDatabase();
  await (await openTestStore(url, { role: "command" })).close();
  await server.query(readServiceRole(role, new URL(url).pathname.slice(1)), url);
  const DATABASE_URL = urlOf(url, { user: role, password });
  const service = await startService({ environment: { DATABASE_URL } });
  const customer = await makeCustomer(service.app, service.client);
  after(async () => {
    await service.stop();
    await server.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`, url);
    await server.dropDatabase(url);
  });

  const path = "/v2/risk_assessment";
  async function add() {
    const { token } = customer;
    const id = `a${(sent += 1)}`;
    const body = {
      assessment_id: id,
      type: "onboarding risk band",
      outcome: "LOW",
      timestamp: "2026-01-31T09:30:00Z",
    };
    return { id, reply: await service.client.send({ method: "POST", path, token, body }) };
  }

  async function statusOf(id: string): Promise<number> {
    const { token } = customer;
    const query = { assessment_id: id };
    return (await service.client.send({ method: "GET", path, query, token })).status;
  }

  for (const [title, { begin, end, why, isUnready = false }] of Object.entries(refusals)) {
    it(`${title}, answers 503 until it has, and says why once`, async () => {
      const first = await add();
      assert.equal(first.reply.status, 201);
      await server.query(begin, url);
      // In a transaction of its own: sessions that begin now already have the new setting.
      await server.query(endSessions, url);
      await waitFor("a refusal", async () => (await add()).reply.status === 503);
      const loggedBefore = service.log.length;
      const refused = await Promise.all(Array.from({ length: 20 }, add));
      for (const { reply } of refused) {
        assert.deepEqual([reply.status, reply.body.code], [503, 50301], reply.text);
        assert.match(String(reply.headers["retry-after"]), /^[1-9]\d*$/);
        assert.doesNotMatch(reply.text, /postgres|sluice_|GRANT|relation/i);
      }
      if (isUnready)
        await waitFor("it not to be ready", async () => (await readinessOf(service)) === 503);
      const logged = service.log.filter((line) => line.includes("requests are answered with 503"));
      assert.equal(logged.filter((line) => why.test(line)).length, 1, logged.join(""));
      assert.doesNotMatch(logged.join(""), /redacted/);
      assert.ok(service.log.length - loggedBefore < refused.length, "a line for each request");
      await server.query(end, url);
      await waitFor("a write", async () => (await add()).reply.status === 201);
      await waitFor("it to be ready", async () => (await readinessOf(service)) === 200);
      assert.equal(await statusOf(first.id), 200);
      for (const { id } of refused) assert.equal(await statusOf(id), 404);
      const { findings } = await service.app.store.checkIntegrity();
      assert.deepEqual(findings, []);
    });
  }
});

/** It is known for a while, so later each time. */
async function readinessOf({ client, clock }: Service): Promise<number> {
  clock.advanceMs(1_000);
  return (await client.send({ method: "GET", path: "/health/ready" })).status;
}
