// Webhooks of a service that was stopped for days, or whose clock was set.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { createEndpoint } from "../../../src/feature/webhook/endpoints.ts";
import { webhookEvents, webhookGivesUpMs } from "../../../src/feature/webhook/webhook.ts";
import { addTransaction } from "../../cli/write-transactions.ts";
import { makeCustomer } from "../../support/customer.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { startReceiver, type WebhookReceiver } from "./receiver.ts";

const clock = makeFakeClock(Date.now());
const receivers: WebhookReceiver[] = [];

const service = await startService({ clock, environment: { WEBHOOK_NETWORKS: "127.0.0.0/8" } });
after(async () => {
  for (const one of receivers) one.close();
  await service.stop();
});

/** An organization with an endpoint that answers with this status, and a transaction. */
async function openSite(status: number) {
  const { app, client } = service;
  const receiver = await startReceiver();
  receivers.push(receiver);
  const answer = (next: number) =>
    receiver.answer((_event, response) => void response.writeHead(next).end());
  answer(status);
  const { organizationId } = await makeCustomer(app, client);
  const events = [...webhookEvents];
  const { endpointId } = await createEndpoint(app, { organizationId, url: receiver.url, events });
  const add = (id: string) => addTransaction(app, organizationId, { tx_id: id });
  await add("one");
  const find = () => app.store.of(webhooks).findEndpoint(endpointId, organizationId);
  const erase = () => {
    const wanted = { organizationId, resourceType: "transaction", resourceId: "one", reason: "r" };
    return requestDeletionOf(app, wanted);
  };
  const awaitFailures = (count: number) =>
    waitFor(`${count} failures`, async () => (await find())?.failures === count);
  return { receiver, answer, endpointId, find, add, erase, awaitFailures };
}

describe("an endpoint", () => {
  it("is not disabled by few attempts, as after days without the service", async () => {
    const { find, awaitFailures } = await openSite(500);
    await awaitFailures(1);
    clock.advanceMs(webhookGivesUpMs);
    await awaitFailures(2);
    assert.equal((await find())?.disabledAt, undefined);
  });

  it("does not wait until a time that was stored before the clock was set back", async () => {
    const [quick, failing] = [await openSite(204), await openSite(500)];
    // Its time is stored, so that the limit of one message a second is not that of the clock that follows.
    await waitFor("the message", async () => (await quick.find())?.signalledAt !== undefined);
    await failing.awaitFailures(1);
    const days = 5 * 24 * 3_600_000;
    clock.advanceMs(-days);
    failing.answer(204);
    await quick.add("two");
    await waitFor("the next message", () => quick.receiver.events.length === 2);
    await waitFor("the same message", () => failing.receiver.events.length === 2);
    await failing.erase();
    await waitFor("the others", () => failing.receiver.events.length === 4);
  });
});
