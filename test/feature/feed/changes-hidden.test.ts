// What a reader of the feed of changes may not read: nothing that the reader gets depends on it.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { feedLimits } from "../../../src/feature/feed/rows.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import { placeOf } from "../../support/offset-place.ts";
import { waitFor } from "../../support/wait-for.ts";
import { watchReaders } from "./readers.ts";
import { eventsOf, feedOf, nextOf, repeatUntil, transaction } from "./changes-feed.ts";
import { pathOf, startScene, typeNamed } from "../../contract/scene.ts";

const readers = watchReaders();
const scene = await startScene();
const { service } = scene;
const { get, readAll, withScopes, addMany } = feedOf(scene);
const report = typeNamed("customer_sar");
after(() => scene.stop());

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
        places: [first.offset, second.offset, nextOf(third)].map(placeOf),
        upToDate: third.headers["stream-up-to-date"],
      });
    }
    assert.deepEqual(seen[0], seen[1]);
  });

  it("leaves no trace in where a reader of some types continues, however much of it there is", async () => {
    const customer = await scene.makeCustomer();
    const scopes: Scope[] = ["changes:read", "transactions:read", "person:read"];
    const reader = await withScopes(customer, ...scopes);
    service.clock.advanceMs(60_000);
    await scene.addRecord(customer, transaction);
    const before = await readAll(reader, { types: "person" });
    for (let list = 0; list < 2; list += 1) {
      const body = Array.from({ length: 9_000 }, () => scene.records.record(report));
      const reply = await scene.ask(customer, { method: "POST", path: pathOf(report), body });
      assert.equal(reply.status, 201, reply.text);
    }
    const then = await readAll(reader, { types: "person" });
    assert.equal(placeOf(then.offset), placeOf(before.offset));
  });

  it("leaves no trace in how a long poll ends", async () => {
    const customers = [await scene.makeCustomer(), await scene.makeCustomer()] as const;
    const waiting = await Promise.all(
      customers.map(async (customer) => {
        await scene.addRecord(customer, transaction);
        const reader = await withScopes(customer, "changes:read", "transactions:read");
        return { reader, offset: (await readAll(reader)).offset };
      }),
    );
    service.clock.advanceMs(3_600_000);
    const polls = waiting.map(({ reader, offset }) => get(reader, { offset, live: "long-poll" }));
    await waitFor("both to wait", () => readers() === 2 || undefined);
    const [, reporting] = customers;
    const told = get(reporting, { offset: "now", live: "long-poll" });
    await repeatUntil(told, () => scene.addRecord(reporting, report));
    const pass = () => service.clock.advanceMs(feedLimits.longPollMs);
    const replies = await repeatUntil(Promise.all(polls), pass);
    const [first, second] = replies.map((reply) => [reply.status, placeOf(nextOf(reply)).length]);
    assert.deepEqual(first, second);
  });

  it("leaves no trace in whether two replies are equal", async () => {
    const customer = await scene.makeCustomer();
    const reader = await withScopes(customer, "changes:read", "transactions:read");
    await scene.addRecord(customer, transaction);
    const { offset } = await readAll(reader);
    service.clock.advanceMs(3_600_000);
    for (const query of [{ offset }, { offset: "now" }]) {
      const ends: string[] = [];
      const tags: unknown[] = [];
      for (const act of ["nothing", "nothing", "report"]) {
        if (act === "report") await scene.addRecord(customer, report);
        const reply = await get(reader, query);
        ends.push(nextOf(reply));
        tags.push(reply.headers["etag"]);
      }
      assert.equal(new Set(ends).size, 3);
      assert.equal(new Set(tags).size, query.offset === "now" ? 1 : 3);
    }
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
    const empty = await repeatUntil(waiting, () => service.clock.advanceMs(feedLimits.longPollMs));
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
