// A stream of changes on which nothing happens is not silent.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { eventsIn, openStream } from "./changes-stream.ts";
import { type Scene, startScene } from "./scene.ts";

describe("a stream of changes without an event", () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene();
  });
  after(() => scene.stop());

  it("has a comment line every 15 seconds, so that no proxy takes it for dead", async (test) => {
    const customer = await scene.makeCustomer();
    test.mock.timers.enable({ apis: ["setInterval"] });
    const raw = openStream(scene.client.address, customer, "offset=now&live=sse");
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
