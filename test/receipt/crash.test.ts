// A process that is killed at any step of two due deletions: after the next start each is
// completed, once, with one genuine receipt that follows the previous ones, and is in the ledger.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { catchUpLedger, wasRolledBack } from "../../src/actions/ledger/keep-ledger.ts";
import { hashCounts } from "../../src/actions/receipt/receipt-counts.ts";
import { publishReceiptKeys } from "../../src/actions/receipt/receipt-keys.ts";
import { verifyReceipts } from "../../src/actions/receipt/verify-receipt.ts";
import { countsOf } from "../../src/domain/deletion/receipt-count.ts";
import { acme, keyOf } from "../conformance/scene.ts";
import { type PostgresServer, usePostgres } from "../support/postgres/postgres-server.ts";
import { operate } from "../support/server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { killAt, processDue } from "./kill-scene.ts";
import { withActs } from "../support/test-store.ts";

/** One completed deletion, and two due ones, of four records and of one. */
async function prepare(app: App): Promise<void> {
  const store = withActs(app.store);
  for (const id of ["earlier", "t", "u"]) await store.add("transaction", id);
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.add("transaction_alert", "a", { related_check_id: "c" });
  await store.add("transaction", "stays");
  await store.add("transaction_alert", "x", { related_tx_ids: ["t", "stays"] });
  await store.request(keyOf("transaction", "earlier"), { deletionRequestId: "del_earlier" });
  await processDue(app);
  await store.request(keyOf("transaction", "t"), { deletionRequestId: "del_t" });
  await store.request(keyOf("transaction", "u"), { deletionRequestId: "del_u" });
}

/** A folder with its store, and how to get a copy of it. */
interface Place {
  readonly environment: Readonly<Record<string, string>>;
  copy(): Promise<Place>;
}

function placeOnSqlite(): Place {
  const folder = makeTempFolder();
  return {
    environment: testEnvironment(folder),
    copy: async () => {
      const place = placeOnSqlite();
      cpSync(folder, place.environment["DATA_DIR"] ?? "", { recursive: true });
      return place;
    },
  };
}

async function placeOnPostgres(server: PostgresServer, template?: string): Promise<Place> {
  const folder = makeTempFolder();
  const url = await server.makeDatabase(template === undefined ? {} : { template });
  return {
    environment: testEnvironment(folder, { DATABASE_URL: url }),
    copy: async () => {
      const place = await placeOnPostgres(server, new URL(url).pathname.slice(1));
      cpSync(folder, place.environment["DATA_DIR"] ?? "", { recursive: true });
      return place;
    },
  };
}

const completed = ["del_earlier", "del_t", "del_u"];

async function requireCompletedOnce(app: App): Promise<void> {
  const { ledger } = app;
  const store = withActs(app.store);
  const deletion = await store.findDeletion("del_t", undefined);
  assert.equal(deletion?.status, "completed");
  assert.deepEqual(deletion.erased, { transaction: 1, transaction_check: 1, transaction_alert: 1 });
  assert.equal(deletion.redacted, 1);
  assert.equal((await store.findDeletion("del_u", undefined))?.status, "completed");
  const receipts = (await store.listReceipts(0, 10)).map(({ receipt }) => receipt);
  const ids = receipts.map(({ deletion_request_id }) => deletion_request_id);
  assert.deepEqual(ids.toSorted(compare), completed);
  for (const { name, faults } of verifyReceipts(receipts, await publishReceiptKeys(app))) {
    assert.deepEqual(faults, [], name);
  }
  const receipt = receipts[ids.indexOf("del_t")];
  assert.ok(receipt?.version === 2);
  const saltKey = await store.receiptSaltKey();
  assert.deepEqual(receipt.counts, hashCounts(countsOf(deletion), receipt, { saltKey }));
  await catchUpLedger(app);
  const noted: string[] = [];
  for await (const { entries } of ledger.readParts()) {
    for (const entry of entries) {
      if (entry.kind === "deletion" && entry.completed !== undefined) {
        noted.push(entry.deletionRequestId);
      }
    }
  }
  assert.deepEqual(noted, ids);
  assert.equal(await wasRolledBack(app), false);
  assert.deepEqual(await store.countRecords(acme), { transaction: 1, transaction_alert: 1 });
  await store.requireConsistent();
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** With `every` above 1, only at every so many of the points. */
function testKilling(engine: string, every: number, makePlace: () => Promise<Place>): void {
  describe(`a process that is killed while it processes a deletion on ${engine}`, () => {
    let prepared: Place;
    let points = 0;

    before(async () => {
      prepared = await makePlace();
      await operate(prepared.environment, prepare);
      points = (await killAt(0, (await prepared.copy()).environment)) ?? 0;
    });

    it("has many points at which it can be killed", () => assert.ok(points >= 18, `${points}`));

    it("leaves at many of them a deletion that is completed once and has a receipt", async () => {
      for (let point = every; point <= points; point += every) {
        const place = await prepared.copy();
        assert.equal(await killAt(point, place.environment), undefined);
        await operate(place.environment, async (app) => {
          assert.equal(await wasRolledBack(app), false, `point ${point}`);
          await processDue(app);
          await requireCompletedOnce(app);
        });
      }
    });
  });
}

testKilling("SQLite", 5, async () => placeOnSqlite());

const server = await usePostgres();

describe("on PostgreSQL", () => {
  testKilling("PostgreSQL", 11, () => placeOnPostgres(server));
});
