// The round that processes deletions, on a real store.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { pino } from "pino";
import type { App } from "../../src/actions/app.ts";
import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import type { Deletion } from "../../src/domain/deletion/deletion.ts";
import type { Store } from "../../src/store/interface/store.ts";
import { deletionRound } from "../../src/worker/deletion.ts";
import { addTransaction, deleteTransaction } from "../cli/write-transactions.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { testEnvironment } from "../support/service.ts";
import { StoreFaults, type OwnMethod } from "../support/store-faults.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const folder = makeTempFolder();
const clock = makeFakeClock();
const lines: string[] = [];
const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
const { signal } = new AbortController();

const config = readConfig(testEnvironment(folder));
const opened = await openApp(config, { role: "serve", now: clock.now });
await createOrganization(opened, { name: "Acme", organizationId: "acme" });
after(() => opened.close());

/** The application with some methods of its store replaced. */
function withStore(methods: Pick<Store, "eraseStep"> | Pick<Store, "claimDeletions">): App {
  const faults = new StoreFaults();
  for (const [name, method] of Object.entries(methods)) faults.replace(name as OwnMethod, method);
  return { ...opened, store: faults.wrap(opened.store) };
}

async function addAndDelete(txId: string): Promise<string> {
  await addTransaction(opened, "acme", { tx_id: txId });
  return deleteTransaction(opened, "acme", { txId });
}

function statusOf(id: string): Promise<Deletion | undefined> {
  return opened.store.findDeletion(id, undefined);
}

describe("a round of the deletion worker", () => {
  it("claims what is due, and reports when there is no more", async () => {
    const ids = [await addAndDelete("tx-1"), await addAndDelete("tx-2")];
    const completed: string[] = [];
    const round = deletionRound(opened, {
      claimant: "test",
      log,
      onCompleted: ({ deletionRequestId }) => completed.push(deletionRequestId),
    });
    assert.deepEqual([await round(signal), await round(signal)], [true, false]);
    assert.deepEqual(completed.sort(), ids.sort());
    for (const id of ids) assert.equal((await statusOf(id))?.status, "completed");
  });

  it("skips what is not due", async () => {
    await addTransaction(opened, "acme", { tx_id: "tx-later" });
    const id = await deleteTransaction(opened, "acme", { txId: "tx-later", graceSeconds: 60 });
    const round = deletionRound(opened, { claimant: "test", log });
    assert.equal(await round(signal), false);
    clock.advanceMs(60_000);
    assert.equal(await round(signal), true);
    assert.equal((await statusOf(id))?.status, "completed");
  });

  it("postpones one that fails, reports why without the values of rows, and completes it later", async () => {
    const id = await addAndDelete("tx-secret");
    let postponed = 0;
    const failing = withStore({
      eraseStep: () =>
        Promise.reject(Object.assign(new Error("the disk is full"), { detail: "tx-secret" })),
    });
    const round = deletionRound(failing, {
      claimant: "test",
      log,
      onPostponed: () => (postponed += 1),
    });
    lines.length = 0;
    assert.equal(await round(signal), true);
    assert.equal(await round(signal), false);
    assert.equal(postponed, 1);
    const waiting = await statusOf(id);
    assert.equal(waiting?.status, "processing");
    assert.match(waiting.waitingFor ?? "", /the disk is full/);
    assert.equal(waiting.nextAttemptAt, clock.now() + 2_000);

    clock.advanceMs(10 * 60_000);
    const healthy = deletionRound(opened, { claimant: "test", log });
    assert.equal(await healthy(signal), true);
    assert.equal((await statusOf(id))?.status, "completed");

    const written = lines.join("");
    assert.match(written, /"deletion postponed"/);
    assert.match(written, /"deletion completed"/);
    assert.ok(written.includes(id));
    assert.ok(!written.includes("tx-secret"), "a log line contains the id of a record");
    assert.ok(!written.includes("asked by the customer"), "a log line holds a reason");
  });

  it("warns of one that waits for a reader of the store, which is no failure", async () => {
    const id = await addAndDelete("tx-read");
    const reader = new DatabaseSync(join(folder, "sluice.db"), { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM record");
    let failures = 0;
    const round = deletionRound(opened, {
      claimant: "test",
      log,
      onPostponed: () => (failures += 1),
    });
    lines.length = 0;
    await round(signal);
    reader.close();
    assert.match((await statusOf(id))?.waitingFor ?? "", /WAL can't be emptied yet/);
    const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
    assert.deepEqual([levels, failures], [[log.levels.values["warn"]], 0]);
    clock.advanceMs(10 * 60_000);
    await round(signal);
    assert.equal((await statusOf(id))?.status, "completed");
  });

  it("does not say when a closed organization is erased: it may have waited for a report", async () => {
    await createOrganization(opened, { name: "Closing", organizationId: "closing" });
    await addTransaction(opened, "closing", { tx_id: "tx-last" });
    const { deletion } = await closeOrganization(opened, {
      organizationId: "closing",
      reason: "ended",
    });
    lines.length = 0;
    let completed = 0;
    const round = deletionRound(opened, {
      claimant: "test",
      log,
      onCompleted: () => (completed += 1),
    });
    while (await round(signal));
    assert.equal((await statusOf(deletion.deletionRequestId))?.status, "completed");
    assert.deepEqual([completed, lines], [0, []]);
  });

  it("returns what a stop interrupts, without reporting a failure", async () => {
    const id = await addAndDelete("tx-stop");
    const stopping = new AbortController();
    let postponed = 0;
    const stoppingMidway = withStore({
      claimDeletions: async (...args) => {
        const claimed = await opened.store.claimDeletions(...args);
        stopping.abort();
        return claimed;
      },
    });
    const round = deletionRound(stoppingMidway, {
      claimant: "test",
      log,
      onPostponed: () => (postponed += 1),
    });
    lines.length = 0;
    await round(stopping.signal);
    assert.equal(postponed, 0);
    assert.deepEqual(lines, []);
    const again = deletionRound(opened, { claimant: "another", log });
    assert.equal(await again(signal), true);
    assert.equal((await statusOf(id))?.status, "completed");
  });
});
