// What live readers and reads of the feed share: never what was read before one of them asked, a few pages in memory,
// and the places of a process. A stream on which nothing happens is not silent.

import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { createKey } from "../../../src/actions/access/keys.ts";
import { feedLimits } from "../../../src/feature/feed/rows.ts";
import { ofPages, pageMemoryBytes } from "../../../src/http/load/memory-budget.ts";
import { fetchToken } from "../../support/customer.ts";
import { openRaw, type RawConnection } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";
import { watchReaders } from "./readers.ts";
import { feedOf, nextOf } from "./changes-feed.ts";
import { eventsIn, openStream } from "./changes-stream.ts";
import { idOf, startScene, typeNamed } from "../../contract/scene.ts";

let [reading, changesRead] = [0, 0];
/** What a read waits for before it reads, and after. */
let held: { readonly before?: Promise<unknown>; readonly after?: Promise<unknown> } = {};
let holding = Promise.withResolvers<undefined>();
/** The connections of a test. */
const opened: RawConnection[] = [];
const readers = watchReaders();
const scene = await startScene({
  wrapStore: (store) => ({
    ...store,
    arrivals: {
      ...store.arrivals,
      list: async (query) => {
        reading += 1;
        await held.before;
        const changes = await store.arrivals.list(query);
        changesRead += changes.length;
        await held.after;
        return changes;
      },
    },
  }),
});
const { service, client } = scene;
const { get, addMany, erase } = feedOf(scene);
/** Of a part of a stream, about. */
const partEvents = feedLimits.partBytesMax / 300;
/** The service would wait for these to stop. */
afterEach(() => {
  release();
  for (const { socket } of opened.splice(0)) socket.destroy();
});
after(() => scene.stop());

/** Keeps reads waiting from now on. */
function hold(when: "before" | "after"): void {
  holding = Promise.withResolvers();
  held = { [when]: holding.promise };
}

function release(): void {
  held = {};
  holding.resolve(undefined);
}

function keep(raw: RawConnection): RawConnection {
  opened.push(raw);
  return raw;
}

describe("a read of changes that others have begun", () => {
  it("is not shared by a reader that asks after an erasure", async () => {
    const customer = await scene.makeCustomer();
    const offset = nextOf(await get(customer, { offset: "now" }));
    const open = () =>
      keep(openStream(service.address, customer, `offset=${offset}&live=long-poll`));
    const early = open();
    await waitFor("the first to wait", () => readers() === 1 || undefined);
    hold("after");
    changesRead = 0;
    const [erased = "", kept = ""] = await addMany(customer, 2);
    await waitFor("the read", () => changesRead >= 2 || undefined);
    await erase(customer, erased);
    const late = open();
    await waitFor("both to read", () => readers() === 2 || undefined);
    release();
    await Promise.all([early.closed, late.closed]);
    assert.ok(late.received().endsWith("}]"), kept);
    assert.ok(!late.received().includes(erased));
  });
});

describe("a read of changes", () => {
  it("is one for streams and long polls, in as many parts as a long poll has", async () => {
    const customer = await scene.makeCustomer();
    const offset = nextOf(await get(customer, { offset: "now" }));
    const open = (live: string) =>
      keep(openStream(service.address, customer, `offset=${offset}&live=${live}`));
    const [streams, polls] = [
      [open("sse"), open("sse")],
      [open("long-poll"), open("long-poll")],
    ];
    for (const raw of streams) {
      await waitFor("the first part", () => eventsIn(raw).controls.length > 0 || undefined);
    }
    await waitFor("all to wait", () => readers() === 4 || undefined);
    changesRead = 0;
    const ids = await addMany(customer, Math.round(3.5 * partEvents));
    for (const poll of polls) {
      await poll.closed;
      const [head, body = ""] = poll.received().split("\r\n\r\n");
      assert.match(head ?? "", /stream-up-to-date: true/);
      const text = Buffer.from(body, "latin1").toString("utf8");
      const events = JSON.parse(text) as readonly { readonly subject: string }[];
      assert.deepEqual(
        events.map(({ subject }) => subject),
        ids,
      );
    }
    for (const raw of streams) {
      await waitFor("all of it", () => eventsIn(raw).subjects.length === ids.length || undefined);
      assert.ok(eventsIn(raw).controls.length > 3, "a stream sends them in parts");
      raw.socket.destroy();
    }
    assert.ok(changesRead < 2 * ids.length, `${changesRead} changes were read for four readers`);
    await waitFor("all to leave", () => readers() === 0 || undefined);
  });

  it("is also one for those who ask before it is their turn", async () => {
    const customer = await scene.makeCustomer();
    await addMany(customer, 1);
    const all = Array.from({ length: 8 }, () => keep(openRaw(service.address)));
    const ask = (query: string) => {
      for (const { socket } of all) {
        socket.write(
          `GET /v2/changes?${query} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${customer.token}\r\n\r\n`,
        );
      }
    };
    // So that all of them are connected.
    ask("offset=now");
    for (const raw of all) {
      await waitFor("a reply", () => raw.received().endsWith("[]") || undefined);
    }
    reading = 0;
    ask("offset=-1&live=long-poll");
    for (const raw of all) {
      await waitFor("the event", () => raw.received().endsWith("}]") || undefined);
      raw.socket.destroy();
    }
    assert.ok(reading < all.length, `${reading} reads for ${all.length} readers`);
  });
});

const atOnce = ofPages.organizationBytesMax / pageMemoryBytes;

async function heldPages(): Promise<number> {
  const { text } = await client.send({ method: "GET", path: "/metrics" });
  return Number(/^sluice_held_page_bytes (\d+)$/m.exec(text)?.[1]) / pageMemoryBytes;
}

const read = ({ token }: { readonly token: string }) =>
  client.send({ method: "GET", path: "/v2/changes?include=content", token });

it("reads a few pages of an organization at a time, and those of another beside them", async () => {
  const [customer, other] = [await scene.makeCustomer(), await scene.makeCustomer()];
  await addMany(customer, 2);
  reading = 0;
  hold("before");
  const replies = Array.from({ length: 3 * atOnce }, () => read(customer));
  await waitFor("the first to read", () => reading >= atOnce || undefined);
  // Requests are read in the order of their arrival, so all others wait by then.
  const another = read(other);
  await waitFor("the other one to read", () => reading > atOnce || undefined);
  assert.equal(await heldPages(), atOnce + 1);
  assert.equal(reading, atOnce + 1);
  release();
  for (const { status, text } of await Promise.all([...replies, another])) {
    assert.equal(status, 200, text);
  }
  assert.equal(reading, 3 * atOnce + 1);
  assert.equal(await heldPages(), 0);
});

const transaction = typeNamed("transaction");

describe("a process with all live requests", () => {
  it("gives the place of one request to an organization that has none", async () => {
    const { readersMax, organizationReadersMax, keyReadersMax } = feedLimits;
    const count = readersMax / organizationReadersMax;
    const all: RawConnection[] = [];
    for (let number = 0; number < count; number += 1) {
      const first = await scene.makeCustomer();
      const { organizationId } = first;
      const key = await createKey(service.app, { organizationId, scopes: ["changes:read"] });
      const holder = { organizationId, apiKey: key.secret };
      const scopes = ["changes:read"];
      const token = await fetchToken(service.client, holder, { scopes });
      for (const customer of [first, { ...first, token }]) {
        for (let place = 0; place < keyReadersMax; place += 1) {
          all.push(keep(openStream(service.address, customer, "offset=now&live=sse")));
        }
      }
      const wanted = all.length;
      await waitFor("all to wait", () => readers() === wanted || undefined);
    }
    const other = await scene.makeCustomer();
    const raw = keep(openStream(service.address, other, "offset=now&live=sse"));
    await waitFor("its part", () => eventsIn(raw).controls.length > 0 || undefined);
    await Promise.race(all.map(({ closed }) => closed));
    const ended = all.filter((one) => one.received().endsWith("\r\n0\r\n\r\n"));
    assert.equal(ended.length, 1);
    assert.equal(readers(), readersMax);
    const record = scene.records.record(transaction);
    await scene.ask(other, { method: "POST", path: "/v2/transaction", body: record });
    await waitFor("its event", () => eventsIn(raw).subjects.length > 0 || undefined);
    assert.deepEqual(eventsIn(raw).subjects, [idOf(transaction, record)]);
    for (const one of [raw, ...all]) one.socket.destroy();
    await waitFor("all to leave", () => readers() === 0 || undefined);
  });
});

describe("a stream of changes without an event", () => {
  it("has a comment line every 15 seconds, so that no proxy takes it for dead", async (test) => {
    const customer = await scene.makeCustomer();
    test.mock.timers.enable({ apis: ["setInterval"] });
    const raw = keep(openStream(scene.client.address, customer, "offset=now&live=sse"));
    await waitFor("the first part", () => eventsIn(raw).controls.length > 0 || undefined);
    const comments = () => raw.received().match(/^:$/gm)?.length ?? 0;
    assert.equal(comments(), 0);
    for (const count of [1, 2]) {
      test.mock.timers.tick(15_000);
      await waitFor("a comment", () => comments() === count || undefined);
    }
    assert.equal(eventsIn(raw).controls.length, 1);
    raw.socket.end();
    await raw.closed;
  });
});
