// Following the feed of changes: streams of server-sent events, readers that are slow or leave, a stop, and a client of
// Durable Streams that knows nothing of this service.

import assert from "node:assert/strict";
import { after, describe, it, mock } from "node:test";
import { dayMs } from "../../../../src/basics/duration.ts";
import { type JsonBatch, stream } from "@durable-streams/client";
import { changeOrganization } from "../../../../src/actions/access/change-organization.ts";
import { revokeKey } from "../../../../src/actions/access/keys.ts";
import { ChangeFeed } from "../../../../src/feature/feed/change-feed.ts";
import { feedLimits } from "../../../../src/feature/feed/rows.ts";
import { type Customer, fetchToken } from "../../../support/customer.ts";
import { openRaw, type RawConnection } from "../../../support/raw-socket.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { watchReaders } from "../readers.ts";
import { eventsIn, openStream } from "../changes-stream.ts";
import { idOf, listPathOf, startScene, typeNamed } from "../../../contract/scene.ts";

let pagesRead = 0;
let changesRead = 0;
let heldReads: Promise<unknown> | undefined;
const readers = watchReaders();
const scene = await startScene({
  wrapStore: (store) => ({
    ...store,
    arrivals: {
      ...store.arrivals,
      list: async (query) => {
        pagesRead += 1;
        await heldReads;
        const changes = await store.arrivals.list(query);
        changesRead += changes.length;
        return changes;
      },
    },
  }),
});
const { service } = scene;
const transaction = typeNamed("transaction");
after(() => scene.stop());

const open = (customer: Customer, query: string) => openStream(service.address, customer, query);

async function openAtEnd(customer: Customer, more = "") {
  const raw = open(customer, `offset=now&live=sse&${more}`);
  await waitFor("the first part", () => eventsIn(raw).controls.length > 0 || undefined);
  return raw;
}

async function add(customer: Customer, count: number, fields = {}): Promise<readonly string[]> {
  const body = Array.from({ length: count }, () => scene.records.record(transaction, fields));
  const path = listPathOf(transaction);
  const reply = await scene.ask(customer, { method: "POST", path, body });
  assert.equal(reply.status, 200, reply.text);
  return body.map((record) => idOf(transaction, record));
}

describe("a stream of changes", () => {
  it("begins with what there is, and goes on with what arrives", async () => {
    const customer = await scene.makeCustomer();
    const ids = [...(await add(customer, 2))];
    const raw = open(customer, "offset=-1&live=sse");
    await waitFor("the first part", () => eventsIn(raw).controls.length > 0 || undefined);
    assert.match(raw.received(), /^HTTP\/1\.1 200 OK\r\ncontent-type: text\/event-stream\r\n/);
    assert.match(raw.received(), /\r\ncache-control: no-store, no-cache\r\n/);
    assert.match(raw.received(), /\r\ncross-origin-resource-policy: same-origin\r\n/);
    ids.push(...(await add(customer, 1)));
    await waitFor("the next part", () => eventsIn(raw).controls.length > 1 || undefined);
    const { subjects, controls } = eventsIn(raw);
    assert.deepEqual(subjects, ids);
    const [first, second] = controls;
    assert.equal(first?.upToDate, true);
    assert.ok((second?.streamNextOffset ?? "") > (first?.streamNextOffset ?? "").slice(0, 51));
    service.clock.advanceMs(feedLimits.streamMs);
    await raw.closed;
    assert.match(raw.received(), /\r\n0\r\n\r\n$/);
  });

  it("says where the end is if nothing has arrived yet", async () => {
    const customer = await scene.makeCustomer();
    const raw = await openAtEnd(customer);
    assert.equal(eventsIn(raw).controls[0]?.upToDate, true);
    raw.socket.end();
    await raw.closed;
  });

  it("is read once for all that wait at the same place, whenever they began", async () => {
    const customer = await scene.makeCustomer();
    const { settled } = await service.app.store.settledArrival();
    const streams: RawConnection[] = [];
    for (let number = 0; number < 5; number += 1) {
      streams.push(await openAtEnd(customer, `cursor=${number}`));
      service.clock.advanceMs(1);
    }
    pagesRead = 0;
    await add(customer, 1);
    for (const raw of streams) {
      await waitFor("the event", () => eventsIn(raw).subjects.length > 0 || undefined);
    }
    assert.equal((await service.app.store.settledArrival()).settled, settled + 1);
    assert.equal(pagesRead, 1);
    for (const raw of streams) raw.socket.destroy();
    await waitFor("all to leave", () => readers() === 0 || undefined);
  });

  it("is read once for all that follow, however many parts it has", async () => {
    const customer = await scene.makeCustomer();
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => openAtEnd(customer)));
    changesRead = 0;
    const ids = await add(customer, 1_000);
    for (const raw of streams) {
      await waitFor("all of it", () => eventsIn(raw).subjects.length === ids.length || undefined);
      assert.deepEqual(eventsIn(raw).subjects, ids);
    }
    assert.ok(changesRead < 2 * ids.length, `${changesRead} changes were read for five readers`);
    for (const raw of streams) raw.socket.destroy();
    await waitFor("all to leave", () => readers() === 0 || undefined);
  });

  it("ends in the same way whatever has arrived that its reader may not read", async () => {
    const customer = await scene.makeCustomer();
    const scopes = ["changes:read", "transactions:read"];
    const token = await fetchToken(service.client, customer, { scopes });
    const reader = await openAtEnd({ ...customer, token });
    const informed = await openAtEnd(customer);
    await scene.addRecord(customer, typeNamed("customer_sar"));
    await waitFor("the report", () => eventsIn(informed).subjects.length > 0 || undefined);
    service.clock.advanceMs(feedLimits.streamMs);
    await Promise.all([reader.closed, informed.closed]);
    assert.equal(eventsIn(reader).controls.length, 1);
  });

  it("ends when its key is revoked, before anything else arrives", async () => {
    const customer = await scene.makeCustomer();
    const raw = await openAtEnd(customer);
    await revokeKey(service.app, customer.keyId);
    await waitFor("the stream to end", () => {
      service.clock.advanceMs(2_000);
      return readers() === 0 || undefined;
    });
    assert.deepEqual(eventsIn(raw).subjects, []);
  });

  it("ends when the clock is set back, by which its token was not issued yet", async () => {
    const customer = await scene.makeCustomer();
    await openAtEnd(customer);
    service.clock.advanceMs(-730 * dayMs);
    await waitFor("the stream to end", () => readers() === 0 || undefined);
    service.clock.advanceMs(730 * dayMs);
  });

  it("ends when its token no longer has a scope by which it reads", async () => {
    const customer = await scene.makeCustomer();
    const scopes = ["transactions:write", "changes:read"];
    const token = await fetchToken(service.client, customer, { scopes });
    const raw = await openAtEnd({ ...customer, token });
    // Without strict scopes, the first one includes reading risk assessments.
    await changeOrganization(service.app, customer.organizationId, { strictScopes: true });
    const path = "/v2/changes?types=risk_assessment";
    await waitFor("a refusal", async () => {
      const { status } = await service.client.send({ method: "GET", path, token });
      return status === 403 || undefined;
    });
    await scene.addRecord(customer, typeNamed("risk_assessment"));
    await waitFor("the stream to end", () => {
      service.clock.advanceMs(2_000);
      return readers() === 0 || undefined;
    });
    assert.deepEqual(eventsIn(raw).subjects, []);
    raw.socket.destroy();
  });

  it("disconnects a reader that has not read when the stream is over", async () => {
    const customer = await scene.makeCustomer();
    const large = {
      additional_properties: [{ key: "k", value: "x".repeat(30_000), type: "STRING" }],
    };
    for (let part = 0; part < 6; part += 1) await add(customer, 100, large);
    const raw = open(customer, "offset=-1&live=sse&include=content");
    raw.socket.pause().setTimeout(0);
    await waitFor("the stream to begin", () => readers() === 1 || undefined);
    await waitFor("the stream to end", () => {
      service.clock.advanceMs(feedLimits.streamMs);
      return readers() === 0 || undefined;
    });
    raw.socket.destroy();
  });

  it("reads hardly more changes than it sends, in parts", async () => {
    const customer = await scene.makeCustomer();
    const ids = await add(customer, 1_000);
    changesRead = 0;
    const raw = open(customer, "offset=-1&live=sse");
    await waitFor("all of it", () => eventsIn(raw).subjects.length === ids.length || undefined);
    assert.ok(eventsIn(raw).controls.length > 1);
    assert.ok(changesRead < 1_100, `${changesRead} changes were read to send 1,000`);
    raw.socket.destroy();
    await waitFor("the stream to end", () => readers() === 0 || undefined);
  });

  it("does not read on for a reader that does not", async () => {
    const customer = await scene.makeCustomer();
    const large = {
      additional_properties: [{ key: "k", value: "x".repeat(30_000), type: "STRING" }],
    };
    for (let part = 0; part < 6; part += 1) await add(customer, 100, large);
    pagesRead = 0;
    changesRead = 0;
    const raw = open(customer, "offset=-1&live=sse&include=content");
    raw.socket.pause();
    let seen = -1;
    await waitFor("the stream to stop", () => {
      const isStill = pagesRead > 0 && pagesRead === seen;
      seen = pagesRead;
      return isStill || undefined;
    });
    assert.ok(pagesRead < 200, `${pagesRead} pages`);
    raw.socket.resume();
    await waitFor("all of it", () => raw.received().includes('"upToDate":true') || undefined);
    assert.equal(eventsIn(raw).subjects.length, 600);
    assert.ok(changesRead < 600 * 4, `${changesRead} changes were read to send 600`);
    raw.socket.destroy();
    await waitFor("the stream to end", () => readers() === 0 || undefined);
  });
});

describe("a live request whose reader leaves before it is authenticated", () => {
  for (const live of ["long-poll", "sse"]) {
    it(`is not counted for ever: ${live}`, async () => {
      const customer = await scene.makeCustomer();
      const held = service.holdStore("findCaller");
      const before = service.sharedBounds.connections.count;
      const raw = open(customer, `offset=now&live=${live}`);
      await held.called;
      raw.socket.resetAndDestroy();
      await waitFor("the connection to end", () =>
        service.sharedBounds.connections.count === before ? true : undefined,
      );
      held.release();
      const ended = await scene.ask(customer, { method: "GET", path: "/v2/changes" });
      assert.equal(ended.status, 200);
      assert.equal(readers(), 0);
    });
  }
});

describe("a request whose reader leaves while it is read", () => {
  for (const leave of ["resetAndDestroy", "destroy"] as const) {
    it(`is not read on: ${leave}`, async () => {
      const [customer, read] = [await scene.makeCustomer(), Promise.withResolvers<undefined>()];
      await add(customer, 300);
      [pagesRead, heldReads] = [0, read.promise];
      const raw = open(customer, "offset=-1&include=content");
      await waitFor("a read", () => pagesRead > 0 || undefined);
      raw.socket[leave]();
      const health = { method: "GET", path: "/health/live" };
      for (let n = 0; n < 3; n += 1) await service.client.send(health);
      heldReads = undefined;
      read.resolve(undefined);
      await scene.ask(customer, { method: "GET", path: "/v2/changes" });
      assert.equal(pagesRead, 2);
    });
  }
});

describe("live requests that others follow on the connection", () => {
  for (const live of ["long-poll", "sse"]) {
    for (const leave of ["resetAndDestroy", "end"] as const) {
      it(`end when the reader has left: ${live}, ${leave}`, async () => {
        const { token } = await scene.makeCustomer();
        const raw = openRaw(service.address);
        const request = `GET /v2/changes?offset=now&live=${live} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`;
        raw.socket.write(request.repeat(3));
        await waitFor("the last to wait", () => {
          return raw.received().split("HTTP/1.1 20").length > 2 && readers() > 0 ? true : undefined;
        });
        raw.socket[leave]();
        await waitFor("none to wait", () => readers() === 0 || undefined);
      });
    }
  }
});

describe("a client of Durable Streams", () => {
  for (const live of ["long-poll", "sse", true] as const) {
    it(`follows unmodified, with live ${live}`, async () => {
      const customer = await scene.makeCustomer();
      const count = feedLimits.replyEventsMax + 50;
      const ids = [...(await add(customer, count))];
      const ending = new AbortController();
      const followed = await stream<{ subject: string }>({
        url: `${service.address}/v2/changes`,
        headers: { authorization: `Bearer ${customer.token}` },
        offset: "-1",
        live,
        signal: ending.signal,
      });
      const got: string[] = [];
      const offsets: string[] = [];
      followed.subscribeJson(({ items, offset }: JsonBatch<{ subject: string }>) => {
        got.push(...items.map(({ subject }) => subject));
        offsets.push(offset);
      });
      await waitFor("the backlog", () => got.length === count || undefined);
      for (let round = 0; round < 3; round += 1) {
        ids.push(...(await add(customer, 1)));
        await waitFor("the news", () => got.length === ids.length || undefined);
      }
      assert.deepEqual(got, ids);
      assert.deepEqual(offsets, offsets.toSorted());
      ending.abort();
      await waitFor("the client to leave", () => readers() === 0 || undefined);
    });
  }
});

describe("a store that can't be read", () => {
  it("ends what waits, and the next request waits for its event", async () => {
    const customer = await scene.makeCustomer();
    const query = { offset: "-1", live: "long-poll" };
    const ask = { method: "GET", path: "/v2/changes", query, token: customer.token };
    const waiting = service.client.send(ask);
    await waitFor("the poll to wait", () => readers() > 0 || undefined);
    const mend = service.breakStore("settledArrival", new Error("out of order"));
    const reply = await waiting;
    mend();
    assert.deepEqual([reply.status, reply.body.code], [500, 50001], reply.text);
    const next = service.client.send(ask);
    const ids = await add(customer, 1);
    const events = JSON.parse((await next).text) as readonly { readonly subject: string }[];
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ids,
    );
  });
});

describe("a stop", () => {
  it("ends long polls with 204 and closes streams, at once", async () => {
    const customer = await scene.makeCustomer();
    const ask = { method: "GET", path: "/v2/changes", token: customer.token };
    const query = { offset: "now", live: "long-poll" };
    const waits = mock.method(ChangeFeed.prototype, "wait").mock;
    const waiting = () =>
      waits.calls.filter(
        ({ arguments: [{ view }] }) => view.organizationId === customer.organizationId,
      ).length;
    const polls = [1, 2].map(() => service.client.send({ ...ask, query }));
    const raw = open(customer, "offset=now&live=sse");
    await waitFor("all to wait", () => waiting() === 3 || undefined);
    waits.restore();
    await waitFor("the first part", () => eventsIn(raw).controls.length > 0 || undefined);
    service.beginDraining();
    for (const reply of await Promise.all(polls)) {
      assert.equal(reply.status, 204);
      assert.equal(reply.headers["stream-up-to-date"], "true");
    }
    await raw.closed;
    assert.match(raw.received(), /\r\n0\r\n\r\n$/);
  });

  for (const live of ["long-poll", "sse"]) {
    it(`refuses a live request while the server still accepts others: ${live}`, async () => {
      const customer = await scene.makeCustomer();
      await add(customer, 1);
      const ask = { method: "GET", path: "/v2/changes", token: customer.token };
      const refused = await service.client.send({ ...ask, query: { offset: "-1", live } });
      assert.equal(refused.status, 503, refused.text);
      assert.equal(refused.headers["retry-after"], "1");
      const read = await service.client.send({ ...ask, query: { offset: "-1" } });
      assert.equal((JSON.parse(read.text) as readonly unknown[]).length, 1);
      assert.equal(readers(), 0);
    });
  }

  it("makes a client of Durable Streams wait, which would ask again at once after 204", async () => {
    const customer = await scene.makeCustomer();
    const statuses: number[] = [];
    const ending = new AbortController();
    const followed = await stream({
      url: `${service.address}/v2/changes`,
      headers: { authorization: `Bearer ${customer.token}` },
      offset: "-1",
      live: "long-poll",
      signal: ending.signal,
      fetch: async (...words) => {
        const reply = await fetch(...words);
        statuses.push(reply.status);
        return reply;
      },
    });
    followed.subscribeJson(() => undefined);
    await waitFor("some replies", () => statuses.length > 3 || statuses.includes(503));
    ending.abort();
    assert.deepEqual([...new Set(statuses)], [200, 503]);
  });
});
