// What an endpoint is sent next, from stores in which much has happened, or other things than before.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import { Turns } from "../../../src/basics/turns.ts";
import { OffsetCipher } from "../../../src/actions/change/offset.ts";
import { findNext } from "../../../src/feature/webhook/next-message.ts";
import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";
import { type WebhookEvent, webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import { newEndpoint } from "./store/webhooks.ts";
import {
  acme,
  draftOf,
  keyOf,
  operator,
  organization,
  transaction,
} from "../../conformance/scene.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const keys = makeWebhookKeys(generateKeyPairSync("ed25519").privateKey);
const cipher = new OffsetCipher("a secret", []);
const folder = makeTempFolder();
const stores: TestStore[] = [];
after(async () => {
  for (const store of stores) await store.close();
});

async function open(): Promise<TestStore> {
  const store = await openTestStore(`sqlite:${folder}/${stores.length}.db`, { role: "command" });
  stores.push(store);
  await store.createOrganization(organization(acme), operator);
  return store;
}

/** What follows the first arrival and the first entry. `through`: as if so much had arrived. */
async function next(store: TestStore, events: readonly WebhookEvent[], through?: number) {
  const wanted = newEndpoint(`whe_${events.join()}`, { events, changeNo: 0 });
  await store.of(webhooks).createEndpoint(wanted, operator);
  const [found] = (await store.of(webhooks).listEndpoints(acme)).slice(-1);
  assert.ok(found);
  const endpoint = { ...found, entryNo: 0 };
  const { settled: changeNo } = await store.settledArrival();
  const ends = { entryNo: (await store.trail.head()).no, changeNo: through ?? changeNo };
  const app = { store, now: () => operator.now };
  const source = { app, keys, cipher, turns: new Turns() };
  const { message } = await findNext(source, endpoint, { ends, place: endpoint });
  assert.ok(message);
  return message;
}

describe("the next message", () => {
  it("has the end of the feed, however much of confidential types comes after it", async () => {
    const store = await open();
    for (const id of ["one", "two"]) await store.write(transaction(id));
    const { settled } = await store.settledArrival();
    const reports = Array.from({ length: 16_400 }, (_, index) =>
      draftOf("customer_sar", `${index}`),
    );
    await store.write(reports, { resourceType: "customer_sar" });
    const { body } = await next(store, ["sluice.changes.available"]);
    const { data } = JSON.parse(body) as { data: { offset: string } };
    assert.equal(cipher.decode(acme, data.offset)?.changeNo, settled);
  });

  it("is searched for while others are served, in a bounded part of what has arrived", async () => {
    const store = await open();
    await store.write(transaction("one"));
    let queries = 0;
    const list: TestStore["arrivals"]["list"] = (query) => {
      queries += 1;
      assert.ok(queries < 200, "the search goes on");
      return store.arrivals.list(query);
    };
    const counting = { ...store, arrivals: { ...store.arrivals, list } };
    let turns = 0;
    let isFound = false;
    const count = (): void => {
      turns += 1;
      if (!isFound) setImmediate(count);
    };
    setImmediate(count);
    await next(counting, ["sluice.changes.available"], 2 ** 40).finally(() => (isFound = true));
    assert.ok(turns >= queries, `${turns} turns, ${queries} queries`);
  });

  it("has another id in a store that was restored, and has other events at the same numbers", async () => {
    const ids = new Set<string>();
    for (const day of [1, 2]) {
      const store = await open();
      await store.write(transaction("t"), { receivedAt: day });
      await store.request(keyOf("transaction", "t"));
      for (const event of webhookEvents.slice(0, 2)) ids.add((await next(store, [event])).id);
    }
    assert.equal(ids.size, 4);
  });
});
