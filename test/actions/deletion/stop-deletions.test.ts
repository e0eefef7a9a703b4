// What a stop does with deletions in progress while the store can't be changed.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { keyOf, transaction } from "../../conformance/scene.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { testEnvironment } from "../../support/service.ts";
import { StoreFaults } from "../../support/store-faults.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

const clock = makeFakeClock();
const config = readConfig(testEnvironment(makeTempFolder()));
const opened = await openApp(config, { role: "serve", now: clock.now });
after(() => opened.close());

it("a stop tries once to postpone deletions, and leaves the others to their leases", async () => {
  const store = withActs(opened.store);
  for (const id of ["a", "b", "c"]) {
    await store.write(transaction(id));
    await store.request(keyOf("transaction", id), { now: clock.now() });
  }
  const faults = new StoreFaults();
  const stopping = new AbortController();
  let tries = 0;
  faults.replace("eraseStep", () => {
    stopping.abort();
    return Promise.reject(new Error("waited for a lock"));
  });
  faults.replace("postponeDeletion", () => {
    tries += 1;
    return Promise.reject(new Error("waited for a lock"));
  });
  const app = { ...opened, store: faults.wrap(opened.store) };
  const options = { claimant: "test", stopping: stopping.signal };
  await assert.rejects(processDeletions(app, options), /waited for a lock/);
  assert.equal(tries, 1);
});
