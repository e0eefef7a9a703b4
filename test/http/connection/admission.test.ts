// Many connections that are opened at once are read a few at a time, in their order, and all of them in the end.

import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Admission } from "../../../src/http/connection/admission.ts";
import { watchReading } from "../../../src/http/connection/reading.ts";

describe("connections that are opened at once", () => {
  it("are read eight at a time, in their order", async () => {
    const sockets = open(20);
    for (const read of [8, 16, 20]) {
      assert.deepEqual(
        paused(sockets),
        sockets.map((_, index) => index >= read),
      );
      await nextTurn();
    }
  });

  it("don't wait for one that is closed meanwhile", async () => {
    const sockets = open(24);
    for (const socket of sockets.slice(8, 16)) socket.destroy();
    await nextTurn();
    assert.equal(paused(sockets.slice(16)).includes(true), false);
  });
});

function open(count: number): readonly Socket[] {
  const admission = new Admission();
  return Array.from({ length: count }, () => {
    const socket = new Socket();
    watchReading(socket);
    admission.begin(socket);
    return socket;
  });
}

function paused(sockets: readonly Socket[]): readonly boolean[] {
  return sockets.map((socket) => socket.isPaused());
}
