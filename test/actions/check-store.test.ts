// What the check reports, and what is no finding although it looks like one.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { checkStore } from "../../src/actions/check/check-store.ts";
import { holdRecord } from "../../src/actions/retention/holds.ts";
import { keepLedger } from "../../src/actions/ledger/keep-ledger.ts";
import { keepReceiptKey } from "../../src/actions/receipt/receipt-keys.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { makeKeyReader } from "../../src/data-folder/receipt-key.ts";
import { acme, keyOf, operator, organization } from "../conformance/scene.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { withActs } from "../support/test-store.ts";

const folder = makeTempFolder();

const config = readConfig(testEnvironment(folder));
const app = await openApp(config, { role: "serve" });
await keepReceiptKey(app, makeKeyReader(config)());
await app.store.createOrganization(organization(acme), operator);
for (const id of ["held", "deleted", "kept"]) await withActs(app.store).add("transaction", id);
after(() => app.close());

async function findings(): Promise<readonly string[]> {
  return (await checkStore(app)).findings;
}

describe("the check of a store", () => {
  it("finds nothing wrong with a deletion in any of its states", async () => {
    const store = withActs(app.store);
    const cancelled = await store.request(keyOf("transaction", "kept"));
    await store.cancelDeletion(cancelled ?? "", operator);
    const id = await store.request(keyOf("transaction", "deleted"));
    assert.deepEqual(await findings(), []);
    assert.equal((await store.claim())?.status, "processing");
    assert.deepEqual(await findings(), []);
    await store.eraseOne(id, 100);
    assert.deepEqual(await findings(), []);
    assert.equal((await store.finish(id)).status, "completed");
    await keepLedger(app);
    assert.deepEqual(await findings(), []);
  });

  it("expects a hold in the ledger only once the ledger was updated after it", async () => {
    await keepLedger(app);
    const { holdId } = await holdRecord(app, keyOf("transaction", "held"), { reason: "a case" });
    assert.deepEqual(await findings(), []);
    // Signs heads that cover the hold, and does not note it.
    const { store } = app;
    const holds = { ...store.holds, find: async () => undefined };
    await keepLedger({ ...app, store: { ...store, holds } });
    assert.deepEqual(await findings(), [`Hold ${holdId} is in the store, but not in the ledger.`]);
  });
});
