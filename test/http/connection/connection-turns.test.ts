// Many connections that are opened at once are accepted a few at a time, in their order, and all of them in the end.

import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConnectionTurns } from "../../../src/http/connection/connection-turns.ts";

describe("connections that are opened at once", () => {
  it("are accepted eight at a time, in their order", async () => {
    const { sockets, accepted } = open(20);
    for (const count of [8, 16, 20]) {
      assert.deepEqual(accepted, sockets.slice(0, count));
      await nextTurn();
    }
  });

  it("don't wait for one that is closed meanwhile", async () => {
    const { sockets, accepted } = open(24);
    for (const socket of sockets.slice(8, 16)) socket.destroy();
    await nextTurn();
    assert.deepEqual(accepted, [...sockets.slice(0, 8), ...sockets.slice(16)]);
  });
});

function open(count: number) {
  const admission = new ConnectionTurns();
  const accepted: Socket[] = [];
  const sockets = Array.from({ length: count }, () => new Socket());
  for (const socket of sockets) admission.add(socket, (one) => void accepted.push(one));
  return { sockets, accepted };
}
