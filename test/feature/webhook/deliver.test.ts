// What becomes of an attempt during which somebody changes the endpoint.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import { OffsetCipher } from "../../../src/actions/change/offset.ts";
import { deliver, type DeliveryAttempt } from "../../../src/feature/webhook/deliver.ts";
import { findNext } from "../../../src/feature/webhook/next-message.ts";
import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";
import { Turns } from "../../../src/basics/turns.ts";
import { webhookGivesUpAttempts, webhookGivesUpMs } from "../../../src/feature/webhook/webhook.ts";
import type { App } from "../../../src/actions/app.ts";
import type { EndpointChange } from "../../../src/feature/webhook/store/delivery.ts";
import { acme, keyOf, operator, organization, transaction } from "../../conformance/scene.ts";
import { newEndpoint } from "./store/webhooks.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const keys = makeWebhookKeys(generateKeyPairSync("ed25519").privateKey);
const cipher = new OffsetCipher("a secret", []);
const stopping = new AbortController().signal;
const folder = makeTempFolder();
const stores: TestStore[] = [];
after(async () => {
  for (const store of stores) await store.close();
});

interface Answer {
  readonly status: number;
  readonly retryAfter?: string;
  readonly tookMs?: number;
  /** What an operator does before the reply. */
  readonly change?: EndpointChange;
}

/** An endpoint with three deletions to be notified of. */
class Site {
  readonly store: TestStore;
  readonly attempts: DeliveryAttempt[] = [];
  readonly ids: string[] = [];
  now = operator.now;

  constructor(store: TestStore) {
    this.store = store;
  }

  static async open(): Promise<Site> {
    const store = await openTestStore(`sqlite:${folder}/${stores.length}.db`, { role: "command" });
    stores.push(store);
    await store.createOrganization(organization(acme), operator);
    const events = ["sluice.deletion.requested"] as const;
    const wanted = newEndpoint("whe", { events, keyCheck: keys.check, changeNo: 0 });
    await store.of(webhooks).createEndpoint(wanted, operator);
    for (const id of ["one", "two", "three"]) {
      await store.write(transaction(id));
      await store.request(keyOf("transaction", id));
    }
    return new Site(store);
  }

  /**
   * Makes an attempt for each answer, until there is nothing to send. Returns the endpoint afterwards. `before`: what
   * an operator changes when the first message is found already.
   */
  async deliver(answers: readonly Answer[], before?: EndpointChange) {
    const { store } = this;
    const app: Pick<App, "store" | "now"> = { store, now: () => this.now };
    const endpoint = await this.endpoint();
    const left = [...answers];
    const source = { app, keys, cipher, turns: new Turns() };
    const ends = { entryNo: (await store.trail.head()).no, changeNo: 0 };
    const { message } = await findNext(source, endpoint, { ends, place: endpoint });
    if (message === undefined) return endpoint;
    if (before !== undefined) await store.of(webhooks).changeEndpoint(endpoint, before, operator);
    await deliver(
      app as App,
      { endpoint, message },
      {
        source,
        claimant: "test",
        ends,
        send: async ({ headers }) => {
          this.ids.push(headers["webhook-id"] ?? "");
          const { status = 200, retryAfter, tookMs = 0, change } = left.shift() ?? {};
          this.now += tookMs;
          if (change !== undefined)
            await store.of(webhooks).changeEndpoint(endpoint, change, operator);
          return { status, retryAfter };
        },
        random: () => 0.5,
        stopping,
        onAttempt: (attempt) => this.attempts.push(attempt),
      },
    );
    assert.equal(left.length, 0);
    return this.endpoint();
  }

  async endpoint() {
    const [found] = await this.store.of(webhooks).listEndpoints(acme);
    assert.ok(found);
    return found;
  }
}

describe("an endpoint that is enabled during an attempt", () => {
  const change = { enable: true } as const;

  it("stays enabled if the attempt fails after three days of failures", async () => {
    const site = await Site.open();
    for (let failures = 1; failures < webhookGivesUpAttempts; failures += 1) {
      await site.deliver([{ status: 500 }]);
      site.now += webhookGivesUpMs / 4;
    }
    const { disabledAt, failures, nextAttemptAt } = await site.deliver([{ status: 500, change }]);
    assert.deepEqual([disabledAt, failures, nextAttemptAt], [undefined, 0, undefined]);
    assert.equal(site.attempts.at(-1)?.disabled, undefined);
    const again = await site.deliver([{ status: 500 }]);
    assert.deepEqual([again.disabledAt, again.failures], [undefined, 1]);
    assert.equal(new Set(site.ids).size, 1);
  });

  it("continues at once, whatever the receiver answers to the attempt, also to the first", async () => {
    for (const answer of [{ status: 410 }, { status: 503, retryAfter: "36000" }]) {
      const site = await Site.open();
      const { disabledAt, nextAttemptAt } = await site.deliver([{ ...answer, change }]);
      assert.deepEqual([disabledAt, nextAttemptAt], [undefined, undefined]);
      await site.deliver([{ status: 200 }, { status: 200 }, { status: 200 }]);
      assert.equal(new Set(site.ids).size, 3);
    }
  });

  it("is sent nothing again if the attempt succeeds", async () => {
    const site = await Site.open();
    await site.deliver([
      { status: 200, change },
      { status: 200, change },
      { status: 200, change },
    ]);
    await site.deliver([]);
    assert.equal(site.ids.length, 3);
    assert.equal(new Set(site.ids).size, 3);
  });

  it("continues where it was set, whether the attempt succeeds or fails", async () => {
    for (const status of [200, 410]) {
      const site = await Site.open();
      const { entryNo } = await site.endpoint();
      await site.deliver([{ status: 200 }, { status: 200 }, { status: 500 }]);
      site.now += 60_000;
      const from = { entryNo, changeNo: 0 };
      const moved = await site.deliver([{ status, change: { enable: true, from } }]);
      assert.deepEqual([moved.entryNo, moved.disabledAt], [entryNo, undefined]);
      await site.deliver([{ status: 200 }, { status: 200 }, { status: 200 }]);
      assert.deepEqual(site.ids.slice(-3), site.ids.slice(0, 3));
    }
  });
});

describe("an endpoint whose cursors are set during an attempt", () => {
  it("is sent nothing more under the lease of the attempt", async () => {
    const site = await Site.open();
    await site.deliver([{ status: 200, change: { from: { entryNo: 0, changeNo: 0 } } }]);
    assert.equal(site.ids.length, 1);
    assert.equal((await site.endpoint()).leaseUntil, undefined);
  });
});

describe("an endpoint for which a test is requested during an attempt", () => {
  it("is sent the test after the attempt, and the rest after the test", async () => {
    const site = await Site.open();
    await site.deliver([{ status: 500, change: { test: true } }]);
    const { testRequestedAt } = await site.deliver([{ status: 200 }]);
    assert.equal(testRequestedAt, undefined);
    site.now += 60_000;
    await site.deliver([{ status: 200 }, { status: 200 }, { status: 200 }]);
    assert.equal(new Set(site.ids).size, 4);
  });
});

describe("a message that was found before somebody changed its endpoint", () => {
  const changes: readonly EndpointChange[] = [
    { from: { entryNo: 0, changeNo: 0 } },
    { test: true },
  ];

  it("is not sent, and the endpoint is not claimed", async () => {
    for (const change of changes) {
      const site = await Site.open();
      const { leaseUntil } = await site.deliver([], change);
      assert.deepEqual([site.ids.length, leaseUntil], [0, undefined]);
    }
  });
});

describe("an endpoint whose receiver is slow", () => {
  it("is sent nothing more until others have had their turn", async () => {
    const site = await Site.open();
    const { leaseUntil, failures } = await site.deliver([
      { status: 200, tookMs: 3_000 },
      { status: 200, tookMs: 3_000 },
    ]);
    assert.deepEqual([site.ids.length, leaseUntil, failures], [2, undefined, 0]);
    await site.deliver([{ status: 200 }]);
    assert.equal(new Set(site.ids).size, 3);
  });
});

describe("an endpoint to which nothing is left to be sent", () => {
  it("has gone on past everything that was searched", async () => {
    const site = await Site.open();
    await site.store.setFloor("person", 10);
    const { no } = await site.store.trail.head();
    const { entryNo } = await site.deliver([{ status: 200 }, { status: 200 }, { status: 200 }]);
    assert.equal(entryNo, no);
  });
});
