// Webhooks of a service, from the acts of an organization to its receivers: what is sent, in which order, and what
// becomes of receivers that fail.

import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { cancelDeletion } from "../../../src/actions/deletion/decide-deletions.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { rotateReceiptKey } from "../../../src/actions/receipt/receipt-keys.ts";
import {
  createEndpoint,
  enableEndpoint,
  testEndpoint,
} from "../../../src/feature/webhook/endpoints.ts";
import { makeKey, replaceKey } from "../../../src/data-folder/receipt-key.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import { webhookEvents, webhookGivesUpMs } from "../../../src/feature/webhook/webhook.ts";
import { type Customer, fetchToken, makeCustomer } from "../../support/customer.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { makeRecordGenerator } from "../../support/record-generator.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isSigned, type ReceivedEvent, startReceiver, type WebhookReceiver } from "./receiver.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { typeNamed } from "../../conformance/scene.ts";

/** The reference implementation reads the real clock. */
const clock = makeFakeClock(Date.now());
const records = makeRecordGenerator(1);
const receivers: WebhookReceiver[] = [];

const environment = { WEBHOOK_NETWORKS: "127.0.0.0/8" };
const service = await startService({ clock, environment });
afterEach(() => {
  for (const one of receivers.splice(0)) one.close();
});
after(() => service.stop());

async function listen(): Promise<WebhookReceiver> {
  const made = await startReceiver();
  receivers.push(made);
  return made;
}

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly customer: Customer;
}

const deletionEvents = webhookEvents.filter((event) => event.startsWith("sluice.deletion"));

async function endpoint(
  url: string,
  {
    events = deletionEvents,
    customer,
    scopes,
    idempotencyKey,
  }: {
    readonly events?: readonly string[];
    readonly customer?: Customer;
    readonly scopes?: readonly Scope[];
    readonly idempotencyKey?: string;
  } = {},
): Promise<Endpoint> {
  const owner =
    customer ??
    (await makeCustomer(service.app, service.client, scopes === undefined ? {} : { scopes }));
  const reply = await service.client.send({
    method: "POST",
    path: "/v2/webhook_endpoint",
    token: owner.token,
    body: { url, events },
    ...(idempotencyKey && { headers: { "idempotency-key": idempotencyKey } }),
  });
  assert.equal(reply.status, 201, reply.text);
  const { webhook_endpoint_id: id, secret } = JSON.parse(reply.text) as Record<string, string>;
  return { id: id ?? "", secret: secret ?? "", customer: owner };
}

async function add({ token }: Customer, resourceType: string): Promise<string> {
  const type = typeNamed(resourceType);
  const body = records.record(type);
  const reply = await service.client.send({
    method: "POST",
    path: `/v2/${resourceType}`,
    token,
    body,
  });
  assert.equal(reply.status, 201, reply.text);
  return String(body[type.idField]);
}

async function erase(customer: Customer, resourceType = "transaction"): Promise<string> {
  const resourceId = await add(customer, resourceType);
  const { organizationId } = customer;
  const wanted = { organizationId, resourceType, resourceId, reason: "r" };
  return (await requestDeletionOf(service.app, wanted)).deletionRequestId;
}

function listed({ id, customer: { organizationId } }: Endpoint) {
  return service.app.store.of(webhooks).findEndpoint(id, organizationId);
}

function said({ type, data }: ReceivedEvent): string {
  return `${type.slice("sluice.deletion.".length)} ${data["deletion_request_id"]}`;
}

function typesOf({ events }: WebhookReceiver): ReadonlySet<string | undefined> {
  return new Set(events.map(({ data }) => data["resource_type"]));
}

async function received(by: WebhookReceiver, count: number): Promise<readonly ReceivedEvent[]> {
  await waitFor(`${count} events`, () => by.events.length >= count);
  return by.events;
}

/** Where the endpoint continues, once what was sent to it is noted. */
async function continueFrom(one: Endpoint, offset?: string): Promise<void> {
  await waitFor("the note", async () => (await listed(one))?.leaseUntil === undefined);
  await enableEndpoint(service.app, one.id, offset);
}

describe("events of deletions", () => {
  it("are signed, without content, one by one in the order of what happened", async () => {
    const at = await listen();
    const one = await endpoint(at.url);
    const ids = [await erase(one.customer), await erase(one.customer, "person")];
    const events = await received(at, 4);
    assert.ok(events.every((event) => isSigned(one.secret, event)));
    for (const id of ids) {
      const own = events.filter(({ data }) => data["deletion_request_id"] === id).map(said);
      assert.deepEqual(own, [`requested ${id}`, `completed ${id}`]);
    }
    const { body, data } = events[0] ?? { body: "", data: {} };
    assert.deepEqual(Object.keys(JSON.parse(body) as object), ["type", "timestamp", "data"]);
    const names = ["organization_id", "deletion_request_id", "resource_type", "replay_offset"];
    assert.deepEqual(Object.keys(data), names);
    assert.equal(new Set(events.map(({ id }) => id)).size, 4);
    assert.equal(at.atOnce, 1);
    assert.ok(!service.log.some((line) => line.includes(at.url) || line.includes(one.secret)));
  });

  it("tell of a cancellation", async () => {
    const at = await listen();
    const customer = await makeCustomer(service.app, service.client, { deletionGraceSeconds: 60 });
    await endpoint(at.url, { customer, events: ["sluice.deletion.cancelled"] });
    const id = await erase(customer);
    await cancelDeletion(service.app, id);
    assert.deepEqual((await received(at, 1)).map(said), [`cancelled ${id}`]);
  });

  it("are sent to each endpoint of its own organization only", async () => {
    const [here, there] = [await listen(), await listen()];
    const one = await endpoint(here.url);
    const other = await endpoint(there.url);
    const id = await erase(one.customer);
    const otherId = await erase(other.customer);
    await received(here, 2);
    await received(there, 2);
    assert.deepEqual(
      new Set(here.events.map((event) => event.data["deletion_request_id"])),
      new Set([id]),
    );
    assert.deepEqual(
      new Set(there.events.map((event) => event.data["deletion_request_id"])),
      new Set([otherId]),
    );
  });

  it("are not sent on confidential types, nor on types that the token could not read", async () => {
    const [all, few, own] = [await listen(), await listen(), await listen()];
    const { customer } = await endpoint(all.url);
    const { organizationId } = customer;
    await createEndpoint(service.app, { organizationId, url: own.url, events: deletionEvents });
    const scopes: Scope[] = ["changes:read", "transactions:read"];
    const token = await fetchToken(service.client, customer, { scopes });
    await endpoint(few.url, { customer: { ...customer, token } });
    await erase(customer, "customer_sar");
    await erase(customer, "transaction_suspicious_activity");
    await erase(customer, "company");
    const last = await erase(customer);
    await waitFor("the last event", () =>
      [all, few, own].every(({ events }) =>
        events.some((event) => said(event) === `completed ${last}`),
      ),
    );
    assert.deepEqual(typesOf(all), new Set(["company", "transaction"]));
    assert.deepEqual(typesOf(own), new Set(["company", "transaction"]));
    assert.deepEqual(typesOf(few), new Set(["transaction"]));
  });
});

describe("sluice.changes.available", () => {
  const events = ["sluice.changes.available"];

  it("has the end of the feed, at most once a second, and nothing for confidential types", async () => {
    const at = await listen();
    const { customer, secret } = await endpoint(at.url, { events });
    for (let count = 0; count < 5; count += 1) await add(customer, "transaction");
    const [first] = await received(at, 1);
    assert.ok(first !== undefined && isSigned(secret, first));
    await add(customer, "person");
    await add(customer, "customer_sar");
    // Of another endpoint, which is sent after a look that this one had, too.
    const beside = await listen();
    const other = await endpoint(beside.url);
    await erase(other.customer);
    await received(beside, 2);
    assert.equal(at.events.length, 1);
    clock.advanceMs(1_000);
    const [, second] = await received(at, 2);
    const offset = second?.data["offset"];
    const read = { method: "GET", path: "/v2/changes", token: customer.token };
    const types = "transaction,person";
    const rest = await service.client.send({ ...read, query: { offset: offset ?? "", types } });
    assert.equal(rest.text, "[]");
    await add(customer, "person");
    const more = await service.client.send({ ...read, query: { offset: offset ?? "", types } });
    assert.equal((JSON.parse(more.text) as unknown[]).length, 1);
  });
});

describe("an endpoint", () => {
  it("goes on past what there is nothing to send of, so that it is not looked at again", async () => {
    const [at, beside] = [await listen(), await listen()];
    const one = await endpoint(at.url, { events: webhookEvents });
    const other = await endpoint(beside.url);
    await erase(other.customer);
    await received(beside, 2);
    const { no } = await service.app.store.trail.head();
    await add(one.customer, "transaction");
    await received(at, 1);
    await waitFor("its note", async () => ((await listed(one))?.entryNo ?? 0) >= no);
  });

  it("is sent a test event once, also while it is disabled", async () => {
    const at = await listen();
    at.answer((_event, response) => void response.writeHead(410).end());
    const one = await endpoint(at.url);
    await testEndpoint(service.app, one.id);
    const [event] = await received(at, 1);
    assert.equal(event?.type, "sluice.webhook.test");
    await waitFor("its result", async () => (await listed(one))?.lastResult === "410");
    assert.equal((await listed(one))?.disabledAt, undefined);
    await erase(one.customer);
    await waitFor("the end", async () => (await listed(one))?.disabledBecause === "gone");
    at.answer((_event, response) => void response.writeHead(200).end());
    await testEndpoint(service.app, one.id);
    await waitFor("its result", async () => (await listed(one))?.lastResult === "200");
    assert.equal((await listed(one))?.disabledBecause, "gone");
    assert.deepEqual(at.events.filter(({ type }) => type === "sluice.webhook.test").length, 2);
  });

  it("is sent again what followed an offset, or everything, or only what comes", async () => {
    const at = await listen();
    const one = await endpoint(at.url, { events: ["sluice.deletion.completed"] });
    const ids = [await erase(one.customer)];
    await received(at, 1);
    ids.push(await erase(one.customer));
    await received(at, 2);
    await continueFrom(one, at.events[0]?.data["replay_offset"]);
    await received(at, 3);
    await continueFrom(one, "-1");
    await received(at, 5);
    await continueFrom(one, "now");
    ids.push(await erase(one.customer));
    await received(at, 6);
    const [first, second, third] = ids;
    assert.deepEqual(
      at.events.map(({ data }) => data["deletion_request_id"]),
      [first, second, second, first, second, third],
    );
    await assert.rejects(enableEndpoint(service.app, one.id, "0".repeat(51)), /offset must be/);
  });

  it("is sent nothing after a change of the key, and its request is not answered with another secret", async () => {
    const at = await listen();
    const events = ["sluice.deletion.completed"];
    const idempotencyKey = "first";
    const one = await endpoint(at.url, { events, idempotencyKey });
    const again = { events, idempotencyKey, customer: one.customer };
    assert.deepEqual(await endpoint(at.url, again), one);
    const key = makeKey();
    await rotateReceiptKey(service.app, key, () => replaceKey(service.config, key));
    await assert.rejects(endpoint(at.url, again), /"code":42201,"message":"The key of the secret/);
    await erase(one.customer);
    // A new one is sent events, after a look that this one had, too.
    const beside = await listen();
    const other = await endpoint(beside.url);
    await erase(other.customer);
    await received(beside, 2);
    assert.deepEqual(at.events, []);
  });
});

describe("a receiver that fails", () => {
  it("is sent the same message again, and the next ones after it", async () => {
    const at = await listen();
    at.answer((_event, response) => void response.writeHead(500).end());
    const one = await endpoint(at.url);
    const id = await erase(one.customer);
    await waitFor("a failure", async () => (await listed(one))?.failures === 1);
    assert.equal((await listed(one))?.lastResult, "500");
    at.answer((_event, response) => void response.writeHead(200).end("ok"));
    clock.advanceMs(6_000);
    const events = await received(at, 3);
    assert.deepEqual(events.map(said), [`requested ${id}`, `requested ${id}`, `completed ${id}`]);
    assert.equal(events[0]?.id, events[1]?.id);
    assert.equal(events[0]?.body, events[1]?.body);
    await waitFor("success", async () => (await listed(one))?.failures === 0);
  });

  it("is left alone for as long as it asks", async () => {
    const at = await listen();
    at.answer((_event, response) => void response.writeHead(429, { "retry-after": "600" }).end());
    const one = await endpoint(at.url);
    await erase(one.customer);
    const failed = await waitFor("a failure", async () => {
      const found = await listed(one);
      return found?.failures === 1 && found;
    });
    assert.equal((failed.nextAttemptAt ?? 0) - clock.now(), 600_000);
  });

  it("is tried again after the longest delay if it asks for more, in any number of digits", async () => {
    const at = await listen();
    const headers = { "retry-after": "9".repeat(20) };
    at.answer((_event, response) => void response.writeHead(503, headers).end());
    const one = await endpoint(at.url);
    await erase(one.customer);
    const failed = await waitFor("a failure", async () => {
      const found = await listed(one);
      return found?.failures === 1 && found;
    });
    assert.equal((failed.nextAttemptAt ?? 0) - clock.now(), 12 * 3_600_000);
  });

  it("is disabled by 410 at once, visibly, until it is enabled", async () => {
    const at = await listen();
    at.answer((_event, response) => void response.writeHead(410).end());
    const one = await endpoint(at.url);
    const id = await erase(one.customer);
    await waitFor("the end", async () => (await listed(one))?.disabledBecause === "gone");
    assert.equal((await listed(one))?.nextAttemptAt, undefined);
    await waitFor("the log", () =>
      service.log.some((line) => line.includes("is disabled") && line.includes(one.id)),
    );
    const actions = (await service.app.store.listAudit(0, 1_000)).filter(
      ({ subject }) => subject === one.id,
    );
    assert.equal(actions.at(-1)?.action, "webhook.disable");
    const metrics = await service.client.send({ method: "GET", path: "/metrics" });
    assert.match(metrics.text, /sluice_webhook_endpoints\{state="disabled"\} [1-9]/);
    const shown = await service.client.send({
      method: "GET",
      path: "/v2/webhook_endpoint",
      token: one.customer.token,
    });
    assert.match(shown.text, /"state":"disabled".*"disabled_because":"gone","last_attempt_at"/);
    at.answer((_event, response) => void response.writeHead(204).end());
    await enableEndpoint(service.app, one.id);
    const events = await received(at, 3);
    assert.deepEqual(events.map(said).slice(1), [`requested ${id}`, `completed ${id}`]);
  });

  it("delays no other of its organization, not even when it never answers", async () => {
    const [slow, quick] = [await listen(), await listen()];
    slow.answer(() => undefined);
    const customer = await makeCustomer(service.app, service.client);
    for (let count = 0; count < 9; count += 1) await endpoint(slow.url, { customer });
    await endpoint(quick.url, { customer });
    const id = await erase(customer);
    await received(quick, 2);
    assert.deepEqual(quick.events.map(said), [`requested ${id}`, `completed ${id}`]);
  });

  it("is disabled after three days of failures", async () => {
    const at = await listen();
    at.answer((_event, response) => void response.writeHead(302, { location: at.url }).end());
    const one = await endpoint(at.url);
    await erase(one.customer);
    for (let failures = 1; failures < 6; failures += 1) {
      await waitFor("a failure", async () => (await listed(one))?.failures === failures);
      clock.advanceMs(webhookGivesUpMs / 4);
    }
    await waitFor("the end", async () => (await listed(one))?.disabledBecause === "failing");
    assert.equal((await listed(one))?.lastResult, "302");
  });
});
