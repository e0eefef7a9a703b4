// Reads of the feed that arrive together: a few pages of an organization are in memory at a time.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { ofPages, pageMemoryBytes } from "../../src/http/load/memory-budget.ts";
import { waitFor } from "../support/wait-for.ts";
import { feedOf } from "./changes-feed.ts";
import { startScene } from "./scene.ts";

let reading = 0;
let held: Promise<unknown> | undefined;
const scene = await startScene({
  wrapStore: (store) => ({
    ...store,
    arrivals: {
      ...store.arrivals,
      list: async (query) => {
        reading += 1;
        await held;
        return store.arrivals.list(query);
      },
    },
  }),
});
const { client } = scene.service;
after(() => scene.stop());

const atOnce = ofPages.organizationBytesMax / pageMemoryBytes;

async function heldPages(): Promise<number> {
  const { text } = await client.send({ method: "GET", path: "/metrics" });
  return Number(/^sluice_held_page_bytes (\d+)$/m.exec(text)?.[1]) / pageMemoryBytes;
}

const read = ({ token }: { readonly token: string }) =>
  client.send({ method: "GET", path: "/v2/changes?include=content", token });

it("reads a few pages of an organization at a time, and those of another beside them", async () => {
  const [customer, other] = [await scene.makeCustomer(), await scene.makeCustomer()];
  await feedOf(scene).addMany(customer, 2);
  const holding = Promise.withResolvers<undefined>();
  held = holding.promise;
  const replies = Array.from({ length: 3 * atOnce }, () => read(customer));
  await waitFor("the first to read", () => reading >= atOnce || undefined);
  // Requests are read in the order of their arrival, so all others wait by then.
  const another = read(other);
  await waitFor("the other one to read", () => reading > atOnce || undefined);
  assert.equal(await heldPages(), atOnce + 1);
  assert.equal(reading, atOnce + 1);
  holding.resolve(undefined);
  for (const { status, text } of await Promise.all([...replies, another])) {
    assert.equal(status, 200, text);
  }
  assert.equal(reading, 3 * atOnce + 1);
  assert.equal(await heldPages(), 0);
});
