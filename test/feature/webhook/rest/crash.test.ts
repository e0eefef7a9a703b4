// Webhooks survive the death of the service at any point, and two processes on one database never send at once: every
// event arrives, in order, and only the last one may arrive again.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { App } from "../../../../src/actions/app.ts";
import { createEndpoint } from "../../../../src/feature/webhook/endpoints.ts";
import { type Customer, makeCustomer } from "../../../support/customer.ts";
import type { Client } from "../../../support/http-client.ts";
import { usePostgres } from "../../../support/postgres/postgres-server.ts";
import { makeRecordGenerator } from "../../../support/record-generator.ts";
import { operate, startServer } from "../../../support/server.ts";
import { startServerProcess } from "../../../support/server-process.ts";
import { testEnvironment } from "../../../support/service.ts";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { startReceiver, type WebhookReceiver } from "../receiver.ts";
import { typeNamed } from "../../../conformance/scene.ts";

const server = await usePostgres();
const records = makeRecordGenerator(7);
const networks = { WEBHOOK_NETWORKS: "127.0.0.0/8" };
const events = ["sluice.deletion.requested", "sluice.deletion.completed"];

async function erase(client: Client, { token }: Customer, count: number): Promise<void> {
  const path = "/v2/transaction";
  for (let number = 0; number < count; number += 1) {
    const body = records.record(typeNamed("transaction"));
    const added = await client.send({ method: "POST", path, token, body });
    assert.equal(added.status, 201, added.text);
    const wanted = { tx_id: body["tx_id"], reason: "r" };
    const asked = await client.send({ method: "DELETE", path, token, body: wanted });
    assert.equal(asked.status, 200, asked.text);
  }
}

/** The events as the audit trail says, in its order. */
async function expected({ store }: App): Promise<readonly string[]> {
  const names: Readonly<Record<string, string>> = {
    "deletion.request": "sluice.deletion.requested",
    "deletion.complete": "sluice.deletion.completed",
  };
  return (await store.listAudit(0, 1_000)).flatMap(({ action, subject }) => {
    const name = names[action];
    return name === undefined ? [] : [`${name} ${subject}`];
  });
}

function said({ events: received }: WebhookReceiver): readonly string[] {
  return received.map(({ type, data }) => `${type} ${data["deletion_request_id"]}`);
}

function withoutRepetitions(all: readonly string[]): readonly string[] {
  return all.filter((one, index) => one !== all[index - 1]);
}

describe("a service that is killed", () => {
  const folder = makeTempFolder();

  it("sends every event at least once and in order, whenever it dies", async () => {
    const environment = testEnvironment(folder, networks);
    const receiver = await startReceiver();
    after(() => receiver.close());
    let customer: Customer | undefined;
    for (let round = 0; round < 3; round += 1) {
      const running = await startServerProcess(environment);
      const heard = receiver.events.length;
      const dies = Promise.withResolvers<void>();
      receiver.answer((_event, response) => {
        const isAt = receiver.events.length === heard + 1 + round;
        // Before the reply, after it was written, or a moment later, while it is noted.
        if (isAt && round === 0) dies.resolve();
        else response.writeHead(204).end();
        if (isAt && round === 1) dies.resolve();
        if (isAt && round === 2) setImmediate(() => setImmediate(() => dies.resolve()));
      });
      customer ??= await operate(environment, async (app) => {
        const made = await makeCustomer(app, running.client);
        const { organizationId } = made;
        await createEndpoint(app, { organizationId, url: receiver.url, events });
        return made;
      });
      await erase(running.client, customer, 5);
      await dies.promise;
      await running.end("SIGKILL");
    }
    receiver.answer((_event, response) => void response.writeHead(204).end());
    const last = await startServerProcess(environment);
    await waitFor("all events", () => new Set(said(receiver)).size >= 30);
    const all = await operate(environment, expected);
    assert.equal(all.length, 30);
    assert.deepEqual(withoutRepetitions(said(receiver)), all);
    assert.equal(await last.end("SIGTERM"), 0);
  });
});

describe("two processes on one database", () => {
  it("send each event once, one at a time", async () => {
    const url = await server.makeDatabase();
    const environment = { DATABASE_URL: url, ...networks };
    const one = await startServer({ environment });
    const key = { RECEIPT_KEY_FILE: join(one.folder, "receipt-key.pem") };
    const two = await startServer({ environment: { ...environment, ...key } });
    const receiver = await startReceiver();
    const customer = await one.operate(async (app) => {
      const made = await makeCustomer(app, one.client);
      const { organizationId } = made;
      await createEndpoint(app, { organizationId, url: receiver.url, events });
      return made;
    });
    await Promise.all([erase(one.client, customer, 20), erase(two.client, customer, 20)]);
    await waitFor("all events", () => receiver.events.length >= 80);
    const all = await one.operate(expected);
    await Promise.all([one.stop(), two.stop()]);
    receiver.close();
    assert.deepEqual(said(receiver), all);
    assert.equal(receiver.atOnce, 1);
    await server.dropDatabase(url);
  });
});
