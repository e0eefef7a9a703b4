// The feed of changes: what a reader gets, in which order, and how long it waits.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { hourMs } from "../../../../src/basics/duration.ts";
import { limits } from "../../../../src/domain/limits.ts";
import { feedLimits } from "../../../../src/feature/feed/rows.ts";
import { recordTypes } from "../../../../src/domain/record-types.ts";
import { isOver } from "../../../../src/feature/feed/change-feed.ts";
import { operations } from "../../../../src/feature/feed/operations.ts";
import { fetchToken } from "../../../support/customer.ts";
import { openRaw } from "../../../support/raw-socket.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { watchReaders } from "../readers.ts";
import { eventsOf, feedOf, nextOf, type Query, repeatUntil, transaction } from "../changes-feed.ts";
import { corruptions } from "../../../contract/invalid-request.ts";
import { idOf, listPathOf, pathOf, startScene, typeNamed } from "../../../contract/scene.ts";

const readers = watchReaders();
const scene = await startScene();
const { service } = scene;
after(() => scene.stop());

const person = typeNamed("person");
const { get, readAll, erase, addMany } = feedOf(scene);

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
    const count = feedLimits.replyEventsMax + 200;
    const ids = await addMany(customer, count);
    const first = await get(customer, { offset: "-1" });
    assert.equal(eventsOf(first).length, feedLimits.replyEventsMax);
    assert.equal(first.headers["stream-up-to-date"], undefined);
    const { events } = await readAll(customer);
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ids,
    );
    const again = await readAll(customer, { offset: nextOf(first) });
    assert.deepEqual(again.events, events.slice(feedLimits.replyEventsMax));
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
    assert.ok(bytes < limits.pageBytesMax + eventBytes * 2, `${bytes} bytes`);
    assert.equal((await readAll(customer, { include: "content" })).events.length, body.length);
  });

  it("ends a page that is full to the last event as one that is not", async () => {
    const customer = await scene.makeCustomer();
    await addMany(customer, feedLimits.replyEventsMax);
    const page = await get(customer);
    assert.equal(eventsOf(page).length, feedLimits.replyEventsMax);
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
    const ask = (tags: string) =>
      scene.ask(customer, {
        method: "GET",
        path: "/v2/changes",
        headers: { "if-none-match": tags },
      });
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      assert.equal((await ask(tags)).status, 304, tags);
    }
    assert.equal((await ask('"other"')).status, 200);
    await erase(customer, ids[0] ?? "");
    assert.equal((await ask(etag)).status, 200);
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
    const [operation] = operations;
    assert.ok(operation !== undefined);
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
    const reply = await repeatUntil(waiting, () => service.clock.advanceMs(feedLimits.longPollMs));
    assert.deepEqual([reply.status, nextOf(reply)], [204, offset]);
    assert.equal(reply.headers["stream-up-to-date"], "true");
  });

  it("does not wait until a time that is far away because the clock was set back", () => {
    const now = service.clock.now();
    const { signal } = new AbortController();
    const waiting = {
      until: now + feedLimits.longPollMs,
      signal,
      since: 0,
      check: () => undefined,
    };
    assert.equal(isOver(waiting, now), false);
    assert.equal(isOver(waiting, now - hourMs), true);
    assert.equal(isOver({ ...waiting, until: undefined }, now), false);
  });

  it("answers 401 when its token expires", async () => {
    const customer = await scene.makeCustomer();
    const scopes = ["changes:read", "transactions:read"];
    const token = await fetchToken(service.client, customer, { scopes, expirySeconds: 300 });
    service.clock.advanceMs(300_000 - feedLimits.longPollMs / 2);
    const waiting = get({ token }, { offset: "now", live: "long-poll" });
    await waitFor("the poll to wait", () => (readers() > 0 ? true : undefined));
    service.clock.advanceMs(feedLimits.longPollMs / 2);
    const reply = await waiting;
    assert.deepEqual([reply.status, reply.body.code], [401, 40103], reply.text);
  });

  it("is not a request in progress, and ends when the reader leaves", async () => {
    const customer = await scene.makeCustomer();
    const raw = openRaw(service.address);
    raw.socket.write(
      `GET /v2/changes?offset=now&live=long-poll HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${customer.token}\r\n\r\n`,
    );
    await waitFor("the poll to wait", () => (readers() > 0 ? true : undefined));
    raw.socket.destroy();
    await waitFor("the poll to end", () => (readers() === 0 ? true : undefined));
  });

  it("is bounded for each key", async () => {
    const customer = await scene.makeCustomer();
    const ask = () => get(customer, { offset: "now", live: "long-poll" });
    const waiting = Array.from({ length: feedLimits.keyReadersMax }, ask);
    await waitFor("all to wait", () => (readers() === feedLimits.keyReadersMax ? true : undefined));
    assert.equal((await ask()).status, 429);
    const all = await repeatUntil(Promise.all(waiting), () => addMany(customer, 1));
    for (const reply of all) assert.ok(eventsOf(reply).length > 0);
  });
});
