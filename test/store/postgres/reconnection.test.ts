// The server goes away and comes back: meanwhile every request is told to try again, and nothing
// acknowledged is lost or duplicated. And what happens with a server that turns read-only.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AppError } from "../../../src/domain/error.ts";
import type { Draft, WriteOutcome } from "../../../src/domain/record/record-write.ts";
import type { ConnectionSettings } from "../../../src/store/interface/connection-settings.ts";
import type { MustHave } from "../../../src/store/interface/ledger.ts";
import { openRecordWriter } from "../../../src/store/open-record-writer.ts";
import { acme, keyOf, operator, transaction } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const connections: ConnectionSettings = {
  poolMax: 4,
  prepare: true,
  statementTimeoutMs: 2_000,
  lockTimeoutMs: 200,
  startTimeoutMs: 0,
};

/** The result of a write: acknowledged, or to be tried again. Anything else fails the test. */
async function attempt(
  store: { write(draft: Draft): Promise<WriteOutcome> },
  id: string,
): Promise<"acknowledged" | "try again"> {
  try {
    const { drafts } = await store.write(transaction(id));
    assert.ok(drafts[0] === "created" || drafts[0] === "identical_record_exists");
    return "acknowledged";
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.errorName, "unavailable");
    assert.ok((error.retryAfterSeconds ?? 0) >= 1);
    return "try again";
  }
}

const added = {
  organizationId: acme,
  resourceType: "transaction",
  mode: "add",
  lenient: false,
  receivedAt: operator.now,
} as const;

const server = await usePostgres({ own: true, durable: true });
const url = await server.makeDatabase();

describe("a store on PostgreSQL", () => {
  let store: TestStore;
  before(async () => {
    store = await openTestStore(url, { role: "serve", connections });
  });
  after(() => store.close());

  async function requireAnswer(): Promise<void> {
    await waitFor("the store to answer", () =>
      store.ping().then(
        () => true,
        () => undefined,
      ),
    );
  }

  for (const how of ["fast", "kill"] as const) {
    it(`reconnects after the server ended (${how}), and has everything that it acknowledged`, async () => {
      const acknowledged = new Set<string>();
      let refused = 0;
      const stopping = new AbortController();
      const senders = Array.from({ length: 8 }, async (_, sender): Promise<void> => {
        for (let count = 0; !stopping.signal.aborted; count += 1) {
          const id = `${how} ${sender}/${count}`;
          if ((await attempt(store, id)) === "acknowledged") acknowledged.add(id);
          else refused += 1;
        }
      });
      await waitFor("some writes", () => acknowledged.size > 50);
      await server.stop(how);
      await waitFor("refusals", () => refused > 8);
      const countBefore = acknowledged.size;
      await server.start();
      await waitFor("more writes", () => acknowledged.size > countBefore + 50);
      stopping.abort();
      await Promise.all(senders);
      for (const id of acknowledged) {
        assert.equal((await store.changesOf(keyOf("transaction", id))).length, 1, id);
      }
      await store.requireConsistent();
    });
  }

  it("tells reads to try again too while the server is away, and fails its ping", async () => {
    await server.stop();
    const unavailable = { errorName: "unavailable" };
    await assert.rejects(store.findRecord(keyOf("transaction", "t")), unavailable);
    await assert.rejects(store.credentialsVersion(), unavailable);
    await assert.rejects(store.ping(), unavailable);
    await server.start();
    await requireAnswer();
    assert.equal(await store.findRecord(keyOf("transaction", "t")), undefined);
  });

  it("tells writes to try again while the server is read-only, and continues to read", async () => {
    await server.query("ALTER DATABASE postgres SET default_transaction_read_only = off");
    const name = new URL(url).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice'",
    );
    await requireAnswer();
    assert.equal(await attempt(store, "refused"), "try again");
    assert.equal(await store.exists(keyOf("transaction", "refused")), false);
    await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice'",
    );
    await requireAnswer();
    assert.equal(await attempt(store, "refused"), "acknowledged");
  });

  it("writes nothing to an earlier state from another thread", async (test) => {
    const nothing = { auditAnchor: undefined, lastReceipt: undefined, inProgress: [] };
    let mustHave: MustHave = nothing;
    const options = { connections, mustHave: async () => mustHave };
    const serving = await openTestStore(url, { role: "serve", ...options });
    test.after(() => serving.close());
    const writer = await openRecordWriter(serving.shareWriter().data);
    test.after(() => writer.close());
    const write = (id: string) =>
      attempt({ write: (draft) => writer.writeRecords({ ...added, drafts: [draft] }) }, id);
    assert.equal(await write("of this state"), "acknowledged");
    mustHave = { ...nothing, auditAnchor: { no: 1_000_000, hash: "of an entry that was lost" } };
    serving.renewConnections();
    await waitFor("the check", async () => (await write("of this state")) === "try again");
    assert.equal(await write("of an earlier state"), "try again");
    assert.equal(await store.exists(keyOf("transaction", "of an earlier state")), false);
    mustHave = nothing;
    assert.equal(await write("of an earlier state"), "acknowledged");
  });

  it("tells a write to try again when it waits for a lock too long", async () => {
    await store.write(transaction("locked"));
    const lock = server.query("BEGIN; LOCK TABLE record; SELECT pg_sleep(1); COMMIT", url);
    await waitFor("the lock", async () => {
      const [row] = await server.query(
        "SELECT 1 AS found FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'record'::regclass",
        url,
      );
      return row;
    });
    assert.equal(await attempt(store, "waits"), "try again");
    await lock;
    assert.equal(await attempt(store, "waits"), "acknowledged");
  });

  it("refuses a replica at the start, with what to do, and reads nothing from one", async (test) => {
    const nothing = { auditAnchor: undefined, lastReceipt: undefined, inProgress: [] };
    const mustHave = () => Promise.resolve(nothing);
    const serving = await openTestStore(url, { role: "serve", connections, mustHave });
    test.after(() => serving.close());
    await server.stop();
    await server.startAsReplica();
    const replica = openTestStore(url, { role: "serve", connections });
    await assert.rejects(replica, { name: "StoreError", message: /read-only replica.*primary/ });
    assert.equal(await attempt(store, "on a replica"), "try again");
    await assert.rejects(serving.countRecords(acme), { errorName: "unavailable" });
    await server.promote();
    await waitFor(
      "the end of recovery",
      async () => (await attempt(store, "promoted")) === "acknowledged",
    );
    assert.deepEqual(Object.keys(await serving.countRecords(acme)), ["transaction"]);
  });
});
