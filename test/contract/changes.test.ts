// The feed of changes: what a reader gets, in which order, how long it waits, and what it can't learn.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { type Scope } from "../../src/domain/scope.ts";
import { operationNamed } from "../../src/http/routes.ts";
import { type Customer, fetchToken } from "../support/customer.ts";
import type { Reply } from "../support/http-client.ts";
import { openRaw } from "../support/raw-socket.ts";
import { waitFor } from "../support/wait-for.ts";
import { corruptions } from "./invalid-request.ts";
import { idOf, listPathOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { service } = scene;
after(() => scene.stop());

const transaction = typeNamed("transaction");
const person = typeNamed("person");
const report = typeNamed("customer_sar");

interface Event {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly source: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

type Query = Readonly<Record<string, string>>;

function get(customer: { readonly token: string }, query: Query = {}): Promise<Reply> {
  return service.client.send({ method: "GET", path: "/v2/changes", query, token: customer.token });
}

function eventsOf(reply: Reply): readonly Event[] {
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as readonly Event[];
}

function nextOf({ headers }: Reply): string {
  return String(headers["stream-next-offset"]);
}

/** Everything from an offset on, page by page. */
async function readAll(customer: { readonly token: string }, query: Query = {}) {
  const events: Event[] = [];
  for (let { offset = "-1" } = query; ;) {
    const reply = await get(customer, { ...query, offset });
    events.push(...eventsOf(reply));
    assert.ok(offset === "-1" || nextOf(reply) >= offset, "offsets sort as text");
    offset = nextOf(reply);
    if (reply.headers["stream-up-to-date"] === "true") return { events, offset };
  }
}

async function withScopes(customer: Customer, ...scopes: readonly Scope[]) {
  return { token: await fetchToken(service.client, customer, { scopes }) };
}

/** What a request begins with is known only to the service, so what it waits for happens until it has been answered. */
async function repeatUntil<Result>(result: Promise<Result>, act: () => unknown): Promise<Result> {
  let found: { readonly result: Result } | undefined;
  void result.then((value) => (found = { result: value }));
  return waitFor("an answer", async () => {
    await act();
    return found?.result;
  });
}

async function erase(customer: Customer, id: string): Promise<void> {
  const body = { tx_id: id, reason: "a test" };
  const asked = await scene.ask(customer, { method: "DELETE", path: "/v2/transaction", body });
  await scene.completed(customer, asked.body.deletion_request_id ?? "");
}

async function addMany(customer: Customer, count: number): Promise<readonly string[]> {
  const body = Array.from({ length: count }, () => scene.records.record(transaction));
  const path = listPathOf(transaction);
  const reply = await scene.ask(customer, { method: "POST", path, body });
  assert.equal(reply.status, 200, reply.text);
  return body.map((record) => idOf(transaction, record));
}

describe("the feed of changes", () => {
  it("has an event for each change of every type, in the order of arrival", async () => {
    const customer = await scene.makeCustomer();
    const expected: string[] = [];
    for (const type of recordTypes) {
      const record = await scene.addRecord(customer, type);
      expected.push(`sluice.${type.resourceType}.created ${idOf(type, record)}`);
      const update = scene.records.update(type, idOf(type, record));
      await scene.ask(customer, { method: "PUT", path: pathOf(type), body: update });
      expected.push(`sluice.${type.resourceType}.updated ${idOf(type, record)}`);
    }
    const { events } = await readAll(customer);
    assert.deepEqual(
      events.map(({ type, subject }) => `${type} ${subject}`),
      expected,
    );
    assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
    for (const event of events) {
      assert.equal(event.source, `/organization/${customer.organizationId}`);
      assert.equal(event.time, new Date(service.clock.now()).toISOString());
      assert.equal("data" in event, false);
    }
  });

  it("has the change itself where content is asked for", async () => {
    const customer = await scene.makeCustomer();
    const sent = await scene.addRecord(customer, person);
    const [event] = (await readAll(customer, { include: "content" })).events;
    assert.deepEqual(event?.data, sent);
  });

  it("continues at each offset, in pages", async () => {
    const customer = await scene.makeCustomer();
    const count = limits.changesReplyEventsMax + 200;
    const ids = await addMany(customer, count);
    const first = await get(customer, { offset: "-1" });
    assert.equal(eventsOf(first).length, limits.changesReplyEventsMax);
    assert.equal(first.headers["stream-up-to-date"], undefined);
    const { events } = await readAll(customer);
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ids,
    );
    const again = await readAll(customer, { offset: nextOf(first) });
    assert.deepEqual(again.events, events.slice(limits.changesReplyEventsMax));
    assert.match(nextOf(first), /^[0-9a-f]{51}$/);
  });

  it("bounds a page by bytes, whatever the script of its content", async () => {
    const customer = await scene.makeCustomer();
    const value = "界".repeat(20_000);
    const large = { additional_properties: [{ key: "k", value, type: "STRING" }] };
    const body = Array.from({ length: 24 }, () => scene.records.record(transaction, large));
    const path = listPathOf(transaction);
    assert.equal((await scene.ask(customer, { method: "POST", path, body })).status, 200);
    const first = await get(customer, { include: "content" });
    const eventBytes = Buffer.byteLength(first.text) / eventsOf(first).length;
    const bytes = Buffer.byteLength(first.text);
    assert.ok(bytes < limits.changesReplyBytesMax + eventBytes * 2, `${bytes} bytes`);
    assert.equal((await readAll(customer, { include: "content" })).events.length, body.length);
  });

  it("ends a page that is full to the last event as one that is not", async () => {
    const customer = await scene.makeCustomer();
    await addMany(customer, limits.changesReplyEventsMax);
    const page = await get(customer);
    assert.equal(eventsOf(page).length, limits.changesReplyEventsMax);
    assert.equal(page.headers["stream-up-to-date"], "true");
  });

  it("selects types, and does not scan the others again", async () => {
    const customer = await scene.makeCustomer();
    await scene.addRecord(customer, person);
    await addMany(customer, 5);
    const { events, offset } = await readAll(customer, { types: "person,company" });
    assert.deepEqual(
      events.map(({ type }) => type),
      ["sluice.person.created"],
    );
    assert.ok(offset > (await readAll(customer, { types: "person" })).offset.slice(0, 19));
    assert.deepEqual((await readAll(customer, { offset })).events, []);
  });

  it("begins at its end for now, and says where that is to HEAD", async () => {
    const customer = await scene.makeCustomer();
    await addMany(customer, 2);
    const head = await service.client.send({
      method: "HEAD",
      path: "/v2/changes",
      token: customer.token,
    });
    assert.equal(head.status, 200);
    const now = await get(customer, { offset: "now" });
    assert.deepEqual(eventsOf(now), []);
    assert.equal(now.headers["stream-up-to-date"], "true");
    const [id] = await addMany(customer, 1);
    for (const offset of [nextOf(head), nextOf(now)]) {
      const { events } = await readAll(customer, { offset });
      assert.deepEqual(
        events.map(({ subject }) => subject),
        [id],
      );
    }
  });

  it("answers 304 until an event is erased", async () => {
    const customer = await scene.makeCustomer();
    const ids = await addMany(customer, 2);
    const first = await get(customer);
    const etag = String(first.headers.etag);
    const ask = () =>
      scene.ask(customer, {
        method: "GET",
        path: "/v2/changes",
        headers: { "if-none-match": etag },
      });
    assert.equal((await ask()).status, 304);
    await erase(customer, ids[0] ?? "");
    assert.equal((await ask()).status, 200);
  });

  it("is stored nowhere on the way", async () => {
    const customer = await scene.makeCustomer();
    const { headers } = await get(customer);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
  });
});

describe("what is erased", () => {
  it("is gone at every offset, while others page", async () => {
    const customer = await scene.makeCustomer();
    const canary = "canary-7f3a91";
    await addMany(customer, 3);
    const record = await scene.addRecord(customer, transaction, { tx_id: canary });
    await addMany(customer, 3);
    const update = scene.records.update(transaction, canary);
    await scene.ask(customer, { method: "PUT", path: pathOf(transaction), body: update });
    const before = await readAll(customer, { include: "content" });
    assert.equal(before.events.filter(({ subject }) => subject === canary).length, 2);
    const offsets = ["-1"];
    const page = await get(customer);
    offsets.push(nextOf(page));
    await erase(customer, idOf(transaction, record));
    for (const offset of offsets) {
      const { events } = await readAll(customer, { offset, include: "content" });
      assert.equal(JSON.stringify(events).includes(canary), false);
    }
    assert.equal((await readAll(customer)).events.length, 6);
  });
});

describe("what a reader may not read", () => {
  it("leaves no trace in events, offsets and ends", async () => {
    const customers = [await scene.makeCustomer(), await scene.makeCustomer()];
    const seen: unknown[] = [];
    for (const [index, customer] of customers.entries()) {
      const reader = await withScopes(customer, "changes:read", "transactions:read");
      const first = await readAll(reader);
      const record = { tx_id: "one" };
      await scene.addRecord(customer, transaction, record);
      for (let count = 0; count < index * 3; count += 1) await scene.addRecord(customer, report);
      const second = await readAll(reader, { offset: first.offset });
      const third = await get(reader, { offset: second.offset });
      assert.equal(nextOf(third), second.offset);
      seen.push({
        subjects: second.events.map(({ subject }) => subject),
        places: [first.offset, second.offset, nextOf(third)].map((text) => text.slice(0, 19)),
        upToDate: third.headers["stream-up-to-date"],
      });
    }
    assert.deepEqual(seen[0], seen[1]);
  });

  it("is not scanned again after an hour", async () => {
    const customer = await scene.makeCustomer();
    const reader = await withScopes(customer, "changes:read", "person:read");
    let { offset } = await readAll(reader);
    for (const hour of [0, 1]) {
      service.clock.advanceMs(hour * 3_600_000);
      const ids = await addMany(customer, 2);
      const next = await readAll(reader, { offset });
      assert.equal(next.offset === offset, hour === 0, "only the time changes the offset");
      const left = await readAll(customer, { offset: next.offset });
      const subjects = left.events.map(({ subject }) => subject);
      assert.deepEqual(subjects, hour === 0 ? ids : []);
      ({ offset } = next);
    }
    service.clock.advanceMs(3_600_000);
    const waiting = get(reader, { offset, live: "long-poll" });
    await addMany(customer, 1);
    const empty = await repeatUntil(waiting, () => service.clock.advanceMs(limits.longPollMs));
    assert.equal(empty.status, 204);
    assert.deepEqual((await readAll(customer, { offset: nextOf(empty) })).events, []);
  });

  it("is refused if it is named", async () => {
    const customer = await scene.makeCustomer();
    const reader = await withScopes(customer, "changes:read", "transactions:read");
    assert.equal((await get(reader, { types: "customer_sar" })).status, 403);
    assert.equal((await get(reader, { include: "content" })).status, 403);
    const content = await withScopes(customer, "changes:read", "changes:content");
    assert.deepEqual(eventsOf(await get(content, { include: "content" })), []);
    const none = await withScopes(customer, "changes:content", "transactions:read");
    assert.equal((await get(none)).status, 403);
  });

  it("is another organization's, with its offsets", async () => {
    const [one, other] = [await scene.makeCustomer(), await scene.makeCustomer()];
    await addMany(one, 2);
    const { offset } = await readAll(one);
    assert.deepEqual((await readAll(other)).events, []);
    assert.equal((await get(other, { offset })).status, 400);
  });
});

describe("a query that is not valid", () => {
  const queries: readonly (readonly [field: string, query: Query])[] = [
    ["offset", { offset: "0" }],
    ["offset", { offset: "f".repeat(51) }],
    ["offset", { live: "long-poll" }],
    ["live", { live: "always", offset: "-1" }],
    ["types", { types: "transactions" }],
    ["types", { types: "" }],
    ["include", { include: "everything" }],
  ];
  for (const [field, query] of queries) {
    it(`names ${field} for ${JSON.stringify(query)}`, async () => {
      const customer = await scene.makeCustomer();
      const reply = await get(customer, query);
      assert.deepEqual([reply.status, reply.body.errors?.[0]?.field], [400, field], reply.text);
    });
  }

  it("is an offset that the store has not reached, with where to begin again", async () => {
    const customer = await scene.makeCustomer();
    const operation = operationNamed("readChanges");
    const reply = await service.client.send(
      await corruptions[410].corrupt(scene, customer, operation),
    );
    assert.deepEqual([reply.status, reply.body.code], [410, 41001]);
  });
});

describe("a long poll", () => {
  it("waits for the next event", async () => {
    const customer = await scene.makeCustomer();
    const { offset } = await readAll(customer);
    const waiting = get(customer, { offset, live: "long-poll" });
    const [id] = await addMany(customer, 1);
    const reply = await waiting;
    assert.deepEqual(
      eventsOf(reply).map(({ subject }) => subject),
      [id],
    );
    assert.ok(Number(reply.headers["stream-cursor"]) > 0);
    const cursor = String(reply.headers["stream-cursor"]);
    const now = get(customer, { offset: "now", live: "long-poll", cursor });
    const answered = await repeatUntil(now, () => addMany(customer, 1));
    assert.ok(Number(answered.headers["stream-cursor"]) > Number(cursor));
  });

  it("answers 204 after its time, and where to go on", async () => {
    const customer = await scene.makeCustomer();
    const { offset } = await readAll(customer);
    const waiting = get(customer, { offset, live: "long-poll" });
    const reply = await repeatUntil(waiting, () => service.clock.advanceMs(limits.longPollMs));
    assert.deepEqual([reply.status, nextOf(reply)], [204, offset]);
    assert.equal(reply.headers["stream-up-to-date"], "true");
  });

  it("answers 401 when its token expires", async () => {
    const customer = await scene.makeCustomer();
    const scopes = ["changes:read", "transactions:read"];
    const token = await fetchToken(service.client, customer, { scopes, expirySeconds: 300 });
    service.clock.advanceMs(300_000 - limits.longPollMs / 2);
    const waiting = get({ token }, { offset: "now", live: "long-poll" });
    await waitFor("the poll to wait", () => (service.readers() > 0 ? true : undefined));
    service.clock.advanceMs(limits.longPollMs / 2);
    const reply = await waiting;
    assert.deepEqual([reply.status, reply.body.code], [401, 40103], reply.text);
  });

  it("is not a request in progress, and ends when the reader leaves", async () => {
    const customer = await scene.makeCustomer();
    const raw = openRaw(service.address);
    raw.socket.write(
      `GET /v2/changes?offset=now&live=long-poll HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${customer.token}\r\n\r\n`,
    );
    await waitFor("the poll to wait", () => (service.readers() > 0 ? true : undefined));
    raw.socket.destroy();
    await waitFor("the poll to end", () => (service.readers() === 0 ? true : undefined));
  });

  it("is bounded for each key", async () => {
    const customer = await scene.makeCustomer();
    const ask = () => get(customer, { offset: "now", live: "long-poll" });
    const waiting = Array.from({ length: limits.keyChangeReadersMax }, ask);
    await waitFor("all to wait", () =>
      service.readers() === limits.keyChangeReadersMax ? true : undefined,
    );
    assert.equal((await ask()).status, 429);
    const all = await repeatUntil(Promise.all(waiting), () => addMany(customer, 1));
    for (const reply of all) assert.ok(eventsOf(reply).length > 0);
  });
});
