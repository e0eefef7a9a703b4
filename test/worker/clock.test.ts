// A service whose clock jumps: nothing is erased before an operator confirms it, and records are accepted all the time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changeOrganization } from "../../src/actions/access/change-organization.ts";
import { confirmClock } from "../../src/actions/upkeep/clock.ts";
import { deletionRound } from "../../src/worker/deletion.ts";
import { startUpkeep } from "../../src/worker/upkeep.ts";
import { addTransaction, complete, deleteTransaction } from "../cli/write-transactions.ts";
import { atEnd } from "../support/at-end.ts";
import { fetchToken, makeCustomer } from "../support/customer.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

const yearMs = 365 * 24 * 3_600_000;

describe("a service whose clock jumps by ten years", () => {
  it("erases nothing, says so, accepts records, and continues when an operator confirms it", async (test) => {
    const service = await startService({
      monotonic: () => 0,
      environment: { CLOCK_JUMP_HOURS: "24" },
    });
    atEnd(test, () => service.stop());
    const { app, client, clock, log } = service;
    const { organizationId } = await makeCustomer(app, client);
    await changeOrganization(app, organizationId, { deletionGraceSeconds: 3_600 });
    await addTransaction(app, organizationId, { tx_id: "tx-1" });
    const id = await deleteTransaction(app, organizationId, { txId: "tx-1" });
    const statusOf = async () => (await app.store.findDeletion(id, undefined))?.status;
    const isTrusted = async () =>
      /sluice_clock_trusted 1/.test((await client.send({ method: "GET", path: "/metrics" })).text);
    await waitFor("the clock to be trusted", async () => (await app.store.clock.read()).trustedAt);
    clock.advanceMs(10 * yearMs);
    await waitFor("the pause", () => log.some((line) => line.includes("the clock has jumped")));
    assert.equal(await isTrusted(), false);
    await addTransaction(app, organizationId, { tx_id: "tx-2" });
    assert.equal(await statusOf(), "pending");
    await confirmClock(app);
    await waitFor("the deletion", async () => (await statusOf()) === "completed");
    assert.equal(await isTrusted(), true);
  });

  it("dates what is asked for while its clock is behind by the last time that is known", async (test) => {
    const environment = { CLOCK_JUMP_HOURS: "24" };
    const service = await startService({ monotonic: () => 0, environment });
    atEnd(test, () => service.stop());
    const { app, client, clock } = service;
    const customer = await makeCustomer(app, client);
    const { organizationId } = customer;
    await waitFor("the clock to be trusted", () => app.knownTime.at > 0);
    const known = clock.now();
    clock.advanceMs(-2 * yearMs);
    const token = await fetchToken(client, customer);
    const timestamp = new Date(known).toISOString();
    const body = { ...complete, tx_id: "tx-1", timestamp };
    const added = await client.send({ method: "POST", path: "/v2/transaction", token, body });
    assert.equal(added.status, 201, added.text);
    const id = await deleteTransaction(app, organizationId, { txId: "tx-1" });
    assert.ok(((await app.store.findDeletion(id, undefined))?.dueAt ?? 0) >= known);
  });

  it("decides in a round by the time that was trusted before it", async (test) => {
    const service = await startService();
    atEnd(test, () => service.stop());
    const { app, clock } = service;
    const [times, now] = [[] as number[], clock.now()];
    const claimDeletions = async (claim: { readonly now: number }) => {
      times.push(claim.now);
      return [];
    };
    const trustedClock = async () => {
      clock.advanceMs(10 * yearMs);
      return () => now;
    };
    const log = { error: () => undefined } as never;
    const jumping = { ...app, store: { ...app.store, claimDeletions } };
    const round = deletionRound(jumping, { claimant: "test", log, trustedClock });
    assert.equal(await round(new AbortController().signal), false);
    assert.deepEqual(times, [now]);
  });

  it("does nothing that removes data by the time", async (test) => {
    const service = await startService();
    atEnd(test, () => service.stop());
    const { app } = service;
    const called: string[] = [];
    const record = (name: string) => {
      called.push(name);
      throw new Error(`${name} was called`);
    };
    const store = {
      ...app.store,
      purgeExpired: () => record("purgeExpired"),
      listOrganizations: () => record("listOrganizations"),
      claimDeletions: () => record("claimDeletions"),
      holds: { ...app.store.holds, listEnding: () => record("listEnding") },
      proposals: { ...app.store.proposals, expire: () => record("expire") },
    };
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined } as never;
    let asked = 0;
    const trustedClock = async () => void (asked += 1);
    const paused = { ...app, store };
    const round = deletionRound(paused, { claimant: "test", log, trustedClock });
    assert.equal(await round(new AbortController().signal), false);
    const upkeep = await startUpkeep(paused, log, {
      added: { "a round of a feature failed": () => record("a round of a feature") },
      trustedClock,
      intervalMs: 5,
    });
    await waitFor("two rounds of each", () => asked > 10);
    await upkeep.stop();
    assert.deepEqual(called, []);
  });
});
