// What readers of the feed that wait at the same position share: never what was read before one of them asked.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { feedOf } from "./changes-feed.ts";
import { eventsIn, openStream } from "./changes-stream.ts";
import { startScene } from "./scene.ts";

let changesRead = 0;
let held: Promise<unknown> | undefined;
const scene = await startScene({
  wrapStore: (store) => ({
    ...store,
    arrivals: {
      ...store.arrivals,
      list: async (query) => {
        const changes = await store.arrivals.list(query);
        changesRead += changes.length;
        await held;
        return changes;
      },
    },
  }),
});
const { service } = scene;
const { addMany, erase } = feedOf(scene);
after(() => scene.stop());

describe("a read of changes that others have begun", () => {
  it("is not shared by a reader that asks after an erasure", async () => {
    const customer = await scene.makeCustomer();
    const open = (query: string) => openStream(service.address, customer, query);
    const early = open("offset=now&live=sse");
    await waitFor("the first part", () => eventsIn(early).controls.length > 0 || undefined);
    const offset = eventsIn(early).controls[0]?.streamNextOffset ?? "";
    const holding = Promise.withResolvers<undefined>();
    [held, changesRead] = [holding.promise, 0];
    const [erased = "", kept = ""] = await addMany(customer, 2);
    await waitFor("the read", () => changesRead >= 2 || undefined);
    await erase(customer, erased);
    const poll = open(`offset=${offset}&live=long-poll`);
    await waitFor("both to read", () => service.readers() === 2 || undefined);
    held = undefined;
    holding.resolve(undefined);
    await poll.closed;
    assert.ok(poll.received().endsWith("}]"), kept);
    assert.ok(!poll.received().includes(erased));
    early.socket.destroy();
    await waitFor("all to leave", () => service.readers() === 0 || undefined);
  });
});
