// Whether the clock is trusted: after a jump, a stop and a confirmation, and of several processes.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import { createOrganization } from "../../../src/actions/access/create-organization.ts";
import { identifyCaller } from "../../../src/actions/access/identify-caller.ts";
import { identifyKeyHolder, issueToken } from "../../../src/actions/access/issue-token.ts";
import {
  createKey,
  keyStatus,
  listKeys,
  revokeKey,
  rotateKey,
} from "../../../src/actions/access/keys.ts";
import { withWaits } from "../../../src/actions/deletion/deletion-wait.ts";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { viewDeletion } from "../../../src/actions/deletion/read-deletion.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { createOperator } from "../../../src/actions/operator/operators.ts";
import { findSession } from "../../../src/actions/operator/session.ts";
import {
  createSignInLink,
  readSignInLink,
  useSignInLink,
} from "../../../src/actions/operator/sign-in-link.ts";
import {
  confirmClock,
  describeClockJump,
  type TrustedClock,
  watchClock,
} from "../../../src/actions/upkeep/clock.ts";
import { readHealth } from "../../../src/actions/upkeep/read-health.ts";
import { purgeExpired } from "../../../src/actions/upkeep/store-upkeep.ts";
import { openApp, type OpenApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { addTransaction } from "../../cli/write-transactions.ts";
import { atEnd } from "../../support/at-end.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const hour = 3_600_000;
const year = 365 * 24 * hour;
const start = Date.parse("2026-03-01T12:00:00Z");

const nobody = { confidential: new Set<never>(), covered: new Set<never>() };

interface Process {
  readonly app: OpenApp;
  readonly trustedClock: TrustedClock;
  readonly isClockTrusted: () => Promise<boolean>;
  stop(): Promise<void>;
  /** Both clocks move. */
  wait(ms: number): void;
  /** Only the clock of the host moves. */
  jump(ms: number): void;
}

async function startProcess(test: TestContext, folder: string, at = start): Promise<Process> {
  let [now, passed] = [at, 0];
  const config = readConfig({ DATA_DIR: folder });
  const app = await openApp(config, { role: "command", now: () => now });
  let closed: Promise<void> | undefined;
  const stop = () => (closed ??= app.close());
  atEnd(test, stop);
  const trustedClock = watchClock(app, { monotonic: () => passed, onChange: () => undefined });
  return {
    app,
    trustedClock,
    isClockTrusted: async () => (await trustedClock()) !== undefined,
    stop,
    wait(ms) {
      now += ms;
      passed += ms;
    },
    jump(ms) {
      now += ms;
    },
  };
}

async function makeRule({ app }: Process): Promise<void> {
  await createOrganization(app, { name: "Acme", organizationId: "acme" });
  await changeOrganization(app, "acme", { retainDays: 1_825 });
}

describe("a clock", () => {
  it("is trusted while it moves like the monotonic one, however long a process runs", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    await makeRule(one);
    for (let days = 0; days < 3; days += 1) {
      assert.equal(await one.isClockTrusted(), true);
      one.wait(40 * hour);
    }
    one.jump(hour);
    assert.equal(await one.isClockTrusted(), true);
    assert.equal(await describeClockJump(one.app), undefined);
  });

  it("is not after a jump in either direction, until it is set right", async (test) => {
    for (const ms of [10 * year, -2 * 24 * hour]) {
      const one = await startProcess(test, makeTempFolder());
      await makeRule(one);
      await one.isClockTrusted();
      one.jump(ms);
      assert.equal(await one.isClockTrusted(), false);
      one.wait(hour);
      assert.equal(await one.isClockTrusted(), false);
      assert.match(
        (await describeClockJump(one.app)) ?? "",
        /has jumped.*until an operator confirms the clock/,
      );
      const { checks } = await readHealth(one.app);
      const shown = checks.find(({ name }) => name === "The clock is trusted");
      assert.match(shown?.isFine === false ? shown.result : "", /has jumped/);
      one.jump(-ms);
      assert.equal(await one.isClockTrusted(), true);
    }
  });

  it("is not trusted at a time at which it was wrong, if it is set right meanwhile", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    await makeRule(one);
    await one.isClockTrusted();
    one.jump(10 * year);
    const asked = one.isClockTrusted();
    one.jump(-10 * year);
    assert.equal(await asked, false);
    assert.equal(await one.isClockTrusted(), true);
    one.jump(10 * year);
    assert.equal(await one.isClockTrusted(), false);
  });

  it("is not after several jumps that are too large only together", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    await makeRule(one);
    for (const isTrusted of [true, true, false]) {
      assert.equal(await one.isClockTrusted(), isTrusted);
      one.jump(20 * hour);
      one.wait(60_000);
    }
  });

  it("that was trusted shows what has passed since, whatever the clock of the host says then", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    const now = await one.trustedClock();
    one.jump(10 * year);
    one.wait(hour);
    assert.equal(now?.(), start + hour);
  });

  it("is not made right by what is written meanwhile, but by a confirmation", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    await makeRule(one);
    await one.isClockTrusted();
    one.jump(10 * year);
    await createOrganization(one.app, { name: "Other", organizationId: "other" });
    assert.equal(await one.isClockTrusted(), false);
    assert.equal((await confirmClock(one.app)).isTrusted, false);
    assert.equal(await one.isClockTrusted(), true);
    assert.equal(await describeClockJump(one.app), undefined);
  });

  it("has to be confirmed after a long stop only if rules depend on it", async (test) => {
    for (const hasRule of [false, true]) {
      const folder = makeTempFolder();
      const one = await startProcess(test, folder);
      if (hasRule) await makeRule(one);
      await one.isClockTrusted();
      await one.stop();
      const short = await startProcess(test, folder, start + 20 * hour);
      assert.equal(await short.isClockTrusted(), true);
      await short.stop();
      const long = await startProcess(test, folder, start + 30 * 24 * hour);
      assert.equal(await long.isClockTrusted(), !hasRule);
    }
  });

  it("is compared with the audit trail where no time was trusted before", async (test) => {
    const folder = makeTempFolder();
    const one = await startProcess(test, folder);
    await makeRule(one);
    await one.stop();
    for (const days of [30, -30]) {
      const other = await startProcess(test, folder, start + days * 24 * hour);
      assert.equal(await other.isClockTrusted(), false);
      await other.stop();
    }
    assert.equal(await (await startProcess(test, folder)).isClockTrusted(), true);
  });

  it("is compared with the ledger, which may know more than a store that was put back", async (test) => {
    const folder = makeTempFolder();
    const one = await startProcess(test, folder);
    await makeRule(one);
    await one.stop();
    const { app, isClockTrusted } = await startProcess(test, folder);
    const { no, hash } = await app.store.trail.head();
    const [audit, receipts] = [{ no: no + 1, hash }, await app.store.receiptHead()];
    const signed = { ledger: "", keyId: "", signature: "", storeId: receipts.storeId };
    const heads = {
      kind: "heads",
      at: start + 30 * 24 * hour,
      audit,
      ledgerId: "",
      ...signed,
    } as const;
    await app.ledger.note([
      { ...heads, receipts: { no: receipts.receiptNo, hash: receipts.hash } },
    ]);
    assert.equal(await isClockTrusted(), false);
  });

  it("that was ahead, and was set right while the process ran, needs no confirmation later", async (test) => {
    const folder = makeTempFolder();
    const one = await startProcess(test, folder);
    await makeRule(one);
    assert.equal(await one.isClockTrusted(), true);
    one.jump(10 * year);
    assert.equal(await one.isClockTrusted(), false);
    await createOrganization(one.app, { name: "Other", organizationId: "other" });
    one.jump(-10 * year);
    assert.equal(await one.isClockTrusted(), true);
    assert.equal(await describeClockJump(one.app), undefined);
    await one.stop();
    const later = await startProcess(test, folder, start + hour);
    assert.equal(await later.isClockTrusted(), true);
  });

  it("that was accepted because nothing depended on it is not known any more when it is behind", async (test) => {
    const folder = makeTempFolder();
    const wrong = await startProcess(test, folder, start + 10 * year);
    assert.equal(await wrong.isClockTrusted(), true);
    await wrong.stop();
    const right = await startProcess(test, folder);
    assert.equal(await right.isClockTrusted(), true);
    assert.equal((await right.app.store.clock.read()).trustedAt, start);
  });

  it("that was behind shortens no overlap of a key, and no life of one", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    const { app } = one;
    await createOrganization(app, { name: "Acme", organizationId: "acme" });
    const { key } = await createKey(app, { organizationId: "acme" });
    assert.equal(await one.isClockTrusted(), true);
    one.jump(-20 * hour);
    await createKey(app, { organizationId: "acme", lifetimeMs: hour });
    await rotateKey(app, { keyId: key.keyId, overlapMs: hour });
    one.jump(20 * hour);
    const statuses = (await listKeys(app, "acme")).map((of) => keyStatus(of, app.now()));
    assert.deepEqual(statuses, ["active", "active", "active"]);
  });

  it("that is wrong on one host does not stop another one", async (test) => {
    const folder = makeTempFolder();
    const right = await startProcess(test, folder);
    await makeRule(right);
    await right.isClockTrusted();
    const wrong = await startProcess(test, folder, start + 10 * year);
    assert.equal(await wrong.isClockTrusted(), false);
    right.wait(hour);
    assert.equal(await right.isClockTrusted(), true);
    assert.equal(await wrong.isClockTrusted(), false);
  });

  it("that was ahead delays no deletion that was requested then", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    await createOrganization(one.app, { name: "Acme", organizationId: "acme" });
    await changeOrganization(one.app, "acme", { deletionGraceSeconds: 3_600 });
    await addTransaction(one.app, "acme", { tx_id: "tx-1" });
    await one.isClockTrusted();
    one.jump(10 * year);
    const wanted = { organizationId: "acme", resourceType: "transaction", resourceId: "tx-1" };
    const deletion = await requestDeletionOf(one.app, { ...wanted, reason: "asked" });
    one.wait(hour);
    const [waiting] = await withWaits(one.app, [deletion]);
    assert.match(waiting?.waitsFor ?? "", /^a clock that is trusted/);
    one.jump(-10 * year - hour);
    const stopping = new AbortController().signal;
    const process = () => processDeletions(one.app, { claimant: "test", stopping });
    for (const [minutes, processed] of [
      [1, 0],
      [58, 0],
      [2, 1],
    ] as const) {
      one.wait(minutes * 60_000);
      await purgeExpired(one.app);
      const [shown = deletion] = await one.app.store.listDeletions({ limit: 1 });
      const { due_at } = viewDeletion(shown, undefined, nobody);
      if (minutes !== 2) assert.equal(due_at, new Date(start + hour + 60_000).toISOString());
      assert.equal((await process()).length, processed);
    }
  });

  it("that was ahead leaves no credential that is valid for years", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    const { app } = one;
    await createOrganization(app, { name: "Acme", organizationId: "acme" });
    const { secret, key } = await createKey(app, { organizationId: "acme" });
    const request = {
      expiry_seconds: 300,
      scopes: { organization_id: "acme", scopes: ["person:read"] },
    };
    one.jump(10 * year);
    const { token } = await issueToken(app, await identifyKeyHolder(app, secret), request);
    const identify = async () => await identifyCaller(app, `Bearer ${token}`);
    for (const isCached of [false, true]) {
      if (isCached) await identify();
      one.jump(-10 * year);
      await assert.rejects(identify, { errorName: "credential_expired" });
      one.jump(10 * year);
    }
    await revokeKey(app, key.keyId);
    one.jump(-10 * year);
    await assert.rejects(identifyKeyHolder(app, secret), { errorName: "credential_revoked" });
    const [revoked] = await listKeys(app, "acme");
    assert.equal(revoked && keyStatus(revoked, app.now()), "revoked");
  });

  it("that was ahead leaves no sign-in link and no session that lasts for years", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    const { app } = one;
    await createOperator(app, { name: "anna", roles: ["auditor"] });
    assert.equal(await one.isClockTrusted(), true);
    one.jump(10 * year);
    const { secret } = await createSignInLink(app, "anna");
    const used = await createSignInLink(app, "anna");
    const session = (await useSignInLink(app, used.secret))?.secret ?? "";
    one.jump(-10 * year);
    await purgeExpired(app);
    assert.equal(await readSignInLink(app, secret), undefined);
    assert.equal(await findSession(app, session), undefined);
  });

  it("that was ahead gives an overlap of a key, and a key with an end, no longer life", async (test) => {
    const one = await startProcess(test, makeTempFolder());
    const { app } = one;
    await createOrganization(app, { name: "Acme", organizationId: "acme" });
    const { key } = await createKey(app, { organizationId: "acme" });
    one.jump(10 * year);
    await createKey(app, { organizationId: "acme", lifetimeMs: hour });
    await rotateKey(app, { keyId: key.keyId, overlapMs: hour });
    one.jump(-10 * year);
    const statuses = async () =>
      (await listKeys(app, "acme")).map((of) => keyStatus(of, app.now()));
    await purgeExpired(app);
    assert.deepEqual((await statuses()).sort(), ["active", "active", "active"]);
    one.wait(hour);
    await purgeExpired(app);
    assert.deepEqual((await statuses()).sort(), ["active", "expired", "expired"]);
  });
});
