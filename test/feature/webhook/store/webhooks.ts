// Endpoints of webhooks: made, listed, changed and removed; the same on every engine.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { WebhookEndpoint } from "../../../../src/feature/webhook/webhook.ts";
import type { NewEndpoint } from "../../../../src/feature/webhook/store/endpoint.ts";
import type { Store } from "../../../../src/store/interface/store.ts";
import { type Engine, useSite } from "../../../conformance/engine.ts";
import { webhooks } from "../../../../src/feature/webhook/store/part.ts";
import { endpointsMax } from "../../../../src/feature/webhook/store/rows.ts";
import { acme, mark, operator as act, organization, other } from "../../../conformance/scene.ts";

export function newEndpoint(endpointId: string, fields: Partial<NewEndpoint> = {}): NewEndpoint {
  return {
    endpointId,
    organizationId: acme,
    url: "https://hooks.example.com/a?key=secret",
    events: ["sluice.deletion.completed"],
    description: "",
    types: ["transaction"],
    keyCheck: 7,
    changeNo: 0,
    ...fields,
  };
}

/** After an attempt that was answered with 410. */
export function disabled(endpoint: WebhookEndpoint, now: number): WebhookEndpoint {
  const failures = endpoint.failures + 1;
  const tried = { ...endpoint, failures, lastAttemptAt: now, lastResult: "410" };
  const ended = { disabledAt: now, disabledBecause: "gone", leaseUntil: undefined } as const;
  return { ...tried, nextAttemptAt: now + 9, ...ended };
}

export function testWebhooks(engine: Engine): void {
  describe(`${engine.name}: endpoints of webhooks`, () => {
    const site = useSite(engine);
    let store: Store;
    beforeEach(async () => {
      store = site().store;
      for (const id of [acme, other]) await store.createOrganization(organization(id), act);
      const left = await store.of(webhooks).listAllEndpoints({ after: undefined, limit: 99 });
      for (const endpoint of left) await store.of(webhooks).removeEndpoint(endpoint, act);
    });

    const idsOf = async (organizationId: string) =>
      (await store.of(webhooks).listEndpoints(organizationId)).map(({ endpointId }) => endpointId);

    it("are listed by organization, and begin at the end of the trail", async () => {
      await store.of(webhooks).createEndpoint(newEndpoint("whe_1"), act);
      const last = newEndpoint("whe_2", { organizationId: other, types: undefined });
      await store.of(webhooks).createEndpoint(last, act);
      assert.deepEqual(await idsOf(other), ["whe_2"]);
      const [found] = await store.of(webhooks).listEndpoints(acme);
      const { keyCheck, changeNo, ...wanted } = newEndpoint("whe_1");
      const none = { disabledAt: undefined, failures: 0, lastResult: undefined };
      assert.deepEqual({ ...found, ...wanted, keyCheck, changeNo, ...none }, found);
      assert.equal(found?.createdBy, act.actor);
      const { no } = await store.trail.head();
      assert.equal((await store.of(webhooks).findEndpoint("whe_2", undefined))?.entryNo, no - 1);
      assert.equal((await store.of(webhooks).findEndpoint("whe_2", undefined))?.types, undefined);
      assert.equal(await store.of(webhooks).findEndpoint("whe_2", acme), undefined);
    });

    it("are listed together in pages", async () => {
      for (const [id, organizationId] of [
        ["a", other],
        ["b", acme],
        ["c", acme],
      ] as const) {
        await store.of(webhooks).createEndpoint(newEndpoint(id, { organizationId }), act);
      }
      const first = await store.of(webhooks).listAllEndpoints({ after: undefined, limit: 2 });
      const rest = await store.of(webhooks).listAllEndpoints({ after: first.at(-1), limit: 2 });
      assert.deepEqual(
        [...first, ...rest].map(({ endpointId }) => endpointId),
        ["b", "c", "a"],
      );
    });

    it("are made once for an Idempotency-Key, and removed once", async () => {
      const idempotency = mark("a key");
      const first = await store
        .of(webhooks)
        .createEndpoint(newEndpoint("whe_1", { idempotency }), act);
      const again = newEndpoint("whe_2", { idempotency });
      assert.deepEqual(
        await store.of(webhooks).createEndpoint(again, { ...act, now: act.now + 5 }),
        first,
      );
      assert.deepEqual(await idsOf(acme), ["whe_1"]);
      const differs = newEndpoint("whe_3", { idempotency: mark("a key", "another request") });
      await assert.rejects(store.of(webhooks).createEndpoint(differs, act), {
        errorName: "idempotency_reused",
      });
      const removal = { organizationId: acme, endpointId: "whe_1", idempotency: mark("b key") };
      const removed = await store.of(webhooks).removeEndpoint(removal, act);
      assert.deepEqual(removed, first);
      assert.deepEqual(await store.of(webhooks).removeEndpoint(removal, act), removed);
      const plain = { organizationId: acme, endpointId: "whe_1" };
      assert.equal(await store.of(webhooks).removeEndpoint(plain, act), undefined);
    });

    it("are not removed by another organization", async () => {
      await store.of(webhooks).createEndpoint(newEndpoint("whe_1"), act);
      const foreign = { organizationId: other, endpointId: "whe_1" };
      assert.equal(await store.of(webhooks).removeEndpoint(foreign, act), undefined);
      assert.deepEqual(await idsOf(acme), ["whe_1"]);
    });

    it("are bounded for each organization", async () => {
      for (let number = 0; number < endpointsMax; number += 1) {
        await store.of(webhooks).createEndpoint(newEndpoint(`whe_${number}`), act);
      }
      const errorName = "too_many_webhook_endpoints";
      await assert.rejects(store.of(webhooks).createEndpoint(newEndpoint("more"), act), {
        errorName,
      });
      const elsewhere = newEndpoint("more", { organizationId: other });
      assert.ok(await store.of(webhooks).createEndpoint(elsewhere, act));
    });

    it("record in the trail what was done, without the path of the URL", async () => {
      await store.of(webhooks).createEndpoint(newEndpoint("whe_trail"), act);
      const name = { organizationId: acme, endpointId: "whe_trail" };
      const from = { entryNo: 1, changeNo: 2 };
      const moved = await store.of(webhooks).changeEndpoint(name, { enable: true, from }, act);
      assert.deepEqual([moved?.entryNo, moved?.changeNo], [1, 2]);
      const tested = await store.of(webhooks).changeEndpoint(name, { test: true }, act);
      assert.equal(tested?.testRequestedAt, act.now);
      await store.of(webhooks).removeEndpoint(name, act);
      const entries = (await store.listAudit(0, 99)).filter(
        ({ subject }) => subject === "whe_trail",
      );
      assert.deepEqual(
        entries.map(({ action }) => action),
        ["create", "enable", "test", "remove"].map((verb) => `webhook.${verb}`),
      );
      assert.ok(!JSON.stringify(entries).includes('secret"'));
      assert.ok(!JSON.stringify(entries).includes("key=secret"));
      assert.equal(await store.of(webhooks).changeEndpoint(name, { enable: true }, act), undefined);
    });

    it("stay enabled if an attempt fails during which they were enabled", async () => {
      await store.of(webhooks).createEndpoint(newEndpoint("whe_1"), act);
      const name = { organizationId: acme, endpointId: "whe_1" };
      const { now } = act;
      const fail = async (enable: boolean) => {
        const [found] = await store.of(webhooks).listEndpoints(acme);
        assert.ok(found);
        const lease = { claimant: "a", now, until: now + 50 };
        const before = await store.of(webhooks).claim(found, lease);
        assert.ok(before);
        if (enable) await store.of(webhooks).changeEndpoint(name, { enable: true }, act);
        const second = { ...lease, claimant: "b" };
        assert.equal(await store.of(webhooks).claim(found, second), undefined, "two at once");
        return store
          .of(webhooks)
          .storeResult({ before, after: disabled(before, now), claimant: "a" });
      };
      const ignored = await fail(true);
      const { failures, disabledAt, nextAttemptAt, leaseUntil, lastResult } = ignored ?? {};
      assert.deepEqual(
        [failures, disabledAt, nextAttemptAt, leaseUntil],
        [0, undefined, undefined, undefined],
      );
      assert.equal(lastResult, "410");
      const counted = await fail(false);
      assert.deepEqual([counted?.failures, counted?.disabledBecause], [1, "gone"]);
      const entries = (await store.listAudit(0, 99)).filter(({ subject }) => subject === "whe_1");
      const disables = entries.filter(({ action }) => action === "webhook.disable");
      assert.equal(disables.length, 1);
    });

    it("are refused to a closed organization, and to none", async () => {
      await store.closeOrganization(acme, act);
      const refused = { errorName: "credential_revoked" };
      await assert.rejects(store.of(webhooks).createEndpoint(newEndpoint("whe_1"), act), refused);
      const nobodys = newEndpoint("whe_1", { organizationId: "org_none" });
      await assert.rejects(store.of(webhooks).createEndpoint(nobodys, act), refused);
    });
  });
}
