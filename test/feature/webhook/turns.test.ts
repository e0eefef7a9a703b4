// Which endpoints are served next while there are more than deliveries at once, and while some of them are slow.

import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { pino } from "pino";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { createEndpoint, testEndpoint } from "../../../src/feature/webhook/endpoints.ts";
import type { Post } from "../../../src/feature/webhook/post.ts";
import { startSender } from "../../../src/feature/webhook/sender.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { type Customer, makeCustomer } from "../../support/customer.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { makeRecordGenerator } from "../../support/record-generator.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { typeNamed } from "../../conformance/scene.ts";

const clock = makeFakeClock();
const records = makeRecordGenerator(1);
const service = await startService({ clock, environment: { WEBHOOKS: "off" } });
after(() => service.stop());
const { app, client } = service;

/** The hosts of all attempts, in the order in which they began. */
let attempts: string[] = [];
let sender: ReturnType<typeof startSender> | undefined;
afterEach(async () => {
  await sender?.stop();
  attempts = [];
});

/** Receivers answer at once; those whose names begin with `slow` never do. */
const post: Post = async ({ url }, stopping) => {
  const { hostname } = new URL(url);
  attempts.push(hostname);
  if (!hostname.startsWith("slow")) return { status: 204, retryAfter: undefined };
  const stopped = Promise.withResolvers<void>();
  stopping.addEventListener("abort", () => stopped.resolve());
  await stopped.promise;
  return { failure: "stopped" };
};

function start(): void {
  sender = startSender(app, { post, log: pino({ enabled: false }) });
}

async function endpoint({ organizationId }: Customer, host: string): Promise<string> {
  const events = ["sluice.deletion.requested"] as const;
  const wanted = { organizationId, url: `https://${host}`, events };
  return (await createEndpoint(app, wanted)).endpointId;
}

/** Something to send to each endpoint of the organization. */
async function erase({ organizationId, token }: Customer): Promise<void> {
  const type = typeNamed("transaction");
  const body = records.record(type);
  const path = "/v2/transaction";
  assert.equal((await client.send({ method: "POST", path, token, body })).status, 201);
  const resourceId = String(body[type.idField]);
  const wanted = { organizationId, resourceType: "transaction", resourceId, reason: "r" };
  await requestDeletionOf(app, wanted);
}

const countOf = (prefix: string) => attempts.filter((host) => host.startsWith(prefix)).length;

describe("endpoints of one organization", () => {
  it("are served in the order of their last attempts", async () => {
    const customer = await makeCustomer(app, client);
    const ids = new Map<string, string>();
    const hosts = ["a.example", "b.example", "c.example", "d.example"];
    for (const host of hosts) ids.set(host, await endpoint(customer, host));
    start();
    const order = ["c.example", "a.example", "d.example", "b.example"];
    for (const host of order) {
      const id = ids.get(host) ?? "";
      clock.advanceMs(1_000);
      await testEndpoint(app, id);
      await waitFor("its result", async () => {
        const found = await app.store.of(webhooks).findEndpoint(id, customer.organizationId);
        return found?.lastResult !== undefined && found.leaseUntil === undefined;
      });
    }
    await sender?.stop();
    await erase(customer);
    start();
    await waitFor("attempts", () => attempts.length === 2 * hosts.length);
    assert.deepEqual(attempts, [...order, ...order]);
  });
});

describe("endpoints whose receivers are slow", () => {
  it("delay none that is quick, however many they are, also of the same organization", async () => {
    const own = await makeCustomer(app, client);
    await endpoint(own, "quick.example");
    await erase(own);
    start();
    await waitFor("an attempt", () => countOf("quick") === 1);
    const others = await Promise.all([1, 2, 3, 4, 5, 6].map(() => makeCustomer(app, client)));
    for (const one of [own, ...others])
      for (let count = 0; count < (one === own ? 9 : 10); count += 1)
        await endpoint(one, `slow${count}.example`);
    for (const one of others) await erase(one);
    await waitFor("slow attempts", () => countOf("slow") >= 48);
    await erase(own);
    await waitFor("the next attempt", () => countOf("quick") === 2);
    assert.equal(countOf("slow"), 48);
  });
});
