// A moved store is complete: it holds what the embedded one held, and the service continues with it as if nothing had
// happened. The whole content of a store, through the interface that every engine has, for comparing two stores.

import assert from "node:assert/strict";
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publishReceiptKeys } from "../../../src/actions/receipt/receipt-keys.ts";
import { releaseHold } from "../../../src/actions/retention/holds.ts";
import { verifyReceipts } from "../../../src/actions/receipt/verify-receipt.ts";
import { restrictedId } from "../../../src/domain/deletion/restricted-set.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import type { Store } from "../../../src/store/interface/store.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import { pathOf, type Scene, startScene, typeNamed } from "../../contract/scene.ts";
import { fetchToken } from "../../support/customer.ts";
import { readFile } from "../../repository/tree.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { startServer } from "../../support/server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { openTestStore } from "../../support/test-store.ts";
import { type FilledStore, fillStore } from "./filled-store.ts";
import { storeSamples } from "../samples.ts";
import type { AuditEntry } from "../../../src/domain/access.ts";

const all = 10_000;

async function readWhole(store: Store) {
  const organizations = await store.listOrganizations();
  const upTo = await store.latestArrival();
  const changes = [];
  const records = [];
  for (const { organizationId } of organizations) {
    for (const { resourceType } of recordTypes) {
      const page = { organizationId, resourceType, upTo, after: undefined, limit: all };
      const found = await store.listChanges(page);
      changes.push(...found.map((change) => ({ organizationId, resourceType, ...change })));
      for (const resourceId of new Set(found.map((change) => change.resourceId))) {
        const key = { organizationId, resourceType, resourceId };
        records.push({ key, seen: await store.findRecord(key), of: await store.readHistory(key) });
      }
    }
  }
  return {
    organizations,
    upTo,
    changes,
    records,
    keys: await store.listKeys(undefined),
    credentialsVersion: await store.credentialsVersion(),
    deletions: await store.listDeletions({ limit: all }),
    figures: await store.deletionFigures(Date.UTC(2100, 0, 1)),
    floors: await store.retention.listRules(undefined),
    proposals: await store.proposals.list({ limit: all }),
    ofFeatures: await Promise.all(storeSamples.flatMap(({ read }) => read?.(store) ?? [])),
    holds: await store.holds.list({ limit: all }),
    receipts: await store.listReceipts(0, all),
    receiptHead: await store.receiptHead(),
    saltKey: await store.receiptSaltKey(),
    receiptKeys: await store.listReceiptKeys(),
    integrity: await store.checkIntegrity(),
  };
}

function readAudit(store: Store): Promise<readonly AuditEntry[]> {
  return store.listAudit(0, all);
}

const server = await usePostgres();
const url = await server.makeDatabase();
let filled: FilledStore;
const folder = makeTempFolder();

async function withStore<Result>(of: string, work: (store: Store) => Promise<Result>) {
  const store = await openTestStore(of, { role: "command", existing: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function onSource<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  return withStore(`sqlite:${folder}/sluice.db`, work);
}

before(async () => {
  filled = await fillStore(folder);
});
describe("a damaged copy", () => {
  it("is found by anything changed, missing or too much, and not served", async () => {
    for (const damage of [
      "UPDATE change SET payload = payload || ' '",
      "DELETE FROM record WHERE resource_type = 'transaction'",
      `INSERT INTO record SELECT organization_id, resource_type, 'x', first_seen, last_seen
       FROM record LIMIT 1`,
    ]) {
      const to = await server.makeDatabase();
      await (await openTestStore(to, { role: "command" })).close();
      // Organizations are copied after records and changes.
      await server.query(
        `CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${damage}; RETURN NULL; END $$;
         CREATE TRIGGER damage AFTER INSERT ON organization EXECUTE FUNCTION damage()`,
        to,
      );
      const { message } = await makeCommandLine({ folder }).fail("move", "--to", to);
      assert.match(message, /The copy differs from the embedded store in (?:change|record) \(/);
      await assert.rejects(openTestStore(to, { role: "command" }), /contains only a part of/);
    }
  });
});

describe("a store moved to PostgreSQL", () => {
  it("is copied with everything that it holds, and left unchanged", async () => {
    const whole = await onSource(readWhole);
    for (const { resourceType } of recordTypes) {
      assert.ok(whole.changes.some((change) => change.resourceType === resourceType));
    }
    const { byStatus, held } = whole.figures;
    assert.deepEqual(
      [byStatus, held],
      [{ pending: 2, processing: 1, completed: 1, cancelled: 1 }, 1],
    );
    const moved = await makeCommandLine({ folder }).ask("move", "--to", url);
    assert.equal(moved["store_id"], whole.receiptHead.storeId);
    assert.deepEqual(await withStore(url, readWhole), whole);
    assert.deepEqual(await onSource(readWhole), whole);
    const { completed } = filled.deletions;
    const set = restrictedId(completed);
    assert.deepEqual(await withStore(url, (store) => store.countRecords(set)), { transaction: 1 });
    const page = { set, after: undefined, limit: 10 };
    const references = await withStore(url, (store) => store.restricted.listReferences(page));
    assert.equal(references.length, 1);
  });

  it("continues the audit trail, with an entry for the move", async () => {
    const earlier = await onSource(readAudit);
    const entries = await withStore(url, readAudit);
    assert.deepEqual(entries.slice(0, earlier.length), earlier);
    const added = entries.slice(earlier.length).map(({ action, subject }) => ({ action, subject }));
    const { storeId } = await onSource((store) => store.receiptHead());
    assert.deepEqual(added, [{ action: "store.move", subject: storeId }]);
  });

  it("is not opened by mistake where it was, which names where it is, without the password", async () => {
    const line = makeCommandLine({ folder });
    const { host, pathname } = new URL(url);
    const { message } = await line.fail("check");
    assert.ok(message.includes(`sluice.db was moved to postgres://${host}${pathname} at 2`));
    await assert.rejects(startServer({ folder }), /was moved to .* Set DATABASE_URL/);
  });
});

describe("the service on a moved store", () => {
  let scene: Scene;
  before(async () => {
    const environment = { DATABASE_URL: url };
    scene = await startScene({ folder, clock: filled.clock, environment });
  });
  after(() => scene.stop());

  const transaction = typeNamed("transaction");
  const askStatus = async (token: string) =>
    (await scene.client.send({ method: "GET", path: "/v2/transaction?tx_id=none", token })).status;

  it("knows the tokens and keys, and which are revoked", async () => {
    const { acme, other, former } = filled;
    assert.deepEqual(
      [await askStatus(acme.token), await askStatus(other.token), await askStatus(former.token)],
      [404, 404, 401],
    );
    assert.equal(await askStatus(await fetchToken(scene.client, acme)), 404);
  });

  it("returns the first reply to a repeated request, and writes nothing", async () => {
    const upTo = await scene.service.app.store.latestArrival();
    for (const { ask, status, text } of filled.answered) {
      const reply = await scene.client.send(ask);
      assert.deepEqual([reply.status, reply.text], [status, text]);
    }
    const [read] = await server.query("SELECT last_value::int AS last FROM arrival", url);
    assert.ok(Number(read?.["last"]) >= upTo);
    // Those of organizations, without the restricted set.
    const changes = await server.query(
      "SELECT 1 FROM change WHERE change_no > 0 AND organization_id NOT LIKE 'restricted/%'",
      url,
    );
    assert.equal(changes.length, (await onSource(readWhole)).changes.length);
  });

  it("continues the numbers of changes where the embedded store stopped", async () => {
    const { store } = scene.service.app;
    const last = await onSource((source) => source.latestArrival());
    assert.equal(await store.latestArrival(), last);
    const record = await scene.addRecord(filled.acme, transaction, { tx_id: "later" });
    const { organizationId } = filled.acme;
    const resourceId = String(record["tx_id"]);
    const history = await store.readHistory({
      organizationId,
      resourceType: "transaction",
      resourceId,
    });
    assert.equal(history?.changes.length, 1);
    assert.ok(Number(history?.changes[0]?.changeNo) > last);
  });

  it("processes the deletions in progress or waiting, with receipts in the same chain", async () => {
    const { acme, clock, deletions } = filled;
    clock.advanceMs(3_600_000);
    for (const id of [deletions.processing, deletions.pending]) await scene.completed(acme, id);
    const path = `/v2/deletion_request?deletion_request_id=${deletions.held}`;
    const { body } = await scene.ask(acme, { method: "GET", path });
    assert.equal(body.status, "pending");
    const done = await scene.completed(acme, deletions.processing);
    assert.deepEqual(done.body["erased"], { transaction: 1, transaction_check: 3 });
    const { app } = scene.service;
    const held = await app.store.findDeletion(deletions.held, undefined);
    assert.ok(held);
    const holds = await app.store.holds.ofRecords([held]);
    assert.equal(holds.length, 2);
    for (const { holdId } of holds) await releaseHold(app, { holdId });
    clock.advanceMs(3_600_000);
    await scene.completed(acme, deletions.held);
    const kept = await app.store.listReceipts(0, 100);
    const receipts = kept.map(({ receipt }) => receipt);
    assert.deepEqual(
      receipts.map((receipt) => receipt.receipt_no),
      [1, 2, 3, 4],
    );
    const verdicts = verifyReceipts(receipts, await publishReceiptKeys(app));
    assert.deepEqual(
      verdicts.flatMap(({ faults }) => faults),
      [],
    );
    assert.deepEqual(await app.store.checkIntegrity(), { ok: true, findings: [] });
  });

  it("accepts updates of moved records of every type", async () => {
    const { organizationId } = filled.other;
    const { store } = scene.service.app;
    const upTo = await store.latestArrival();
    for (const type of recordTypes) {
      const { resourceType } = type;
      const page = { organizationId, resourceType, upTo, after: undefined, limit: 1 };
      const [found] = await store.listChanges(page);
      const body = scene.records.update(type, found?.resourceId ?? "");
      const ask = { method: "PUT", path: pathOf(type), body };
      assert.equal((await scene.ask(filled.other, ask)).status, 200);
    }
  });
});

describe("check after a move", () => {
  it("reports the old file until the documented steps are done, and then nothing", async () => {
    const line = makeCommandLine({ folder, environment: { DATABASE_URL: url } });
    const { out: reported } = await line.type("check --json");
    const { findings } = JSON.parse(reported) as { findings: readonly string[] };
    assert.equal(findings.length, 1);
    const store = join(folder, "sluice.db");
    assert.ok(findings[0]?.startsWith(`${store} was moved to postgres://127.0.0.1:`));
    const steps = readFile("docs/guides/postgresql.md").text.split(/\n\d\. /);
    const stepOf = (text: string) => steps.findIndex((step) => step.startsWith(text));
    assert.equal(stepOf("Run `npx sluice check`"), stepOf("Remove the old file") + 1);
    for (const file of globSync(`${store}*`)) rmSync(file);
    const { code, out } = await line.type("check");
    assert.equal(code, 0, out);
  });
});
