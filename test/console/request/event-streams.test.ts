// Streams of events to pages: heartbeats, browsers that don't read, the end of a session, and how many there may be.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { EventStreams } from "../../../src/console/request/event-streams.ts";

type Viewer = Parameters<EventStreams["open"]>[0];

/** A reply that a browser reads, or does not. */
class FakeReply extends EventEmitter {
  sent = "";
  writableLength = 0;
  isDestroyed = false;

  writeHead(): void {}

  write(text: string): void {
    this.sent += text;
  }

  end(): void {
    this.emit("close");
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }
}

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) {
    mock.timers.tick(500);
    await Promise.resolve();
  }
  await new Promise((resolve) => setImmediate(resolve));
}

describe("streams of events", () => {
  let streams: EventStreams;
  let isSignedIn: boolean;
  let state: object | undefined;
  let change: () => void;

  afterEach(() => mock.timers.reset());
  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    streams = new EventStreams();
    isSignedIn = true;
    state = { share: 0 };
  });

  const findSession = () => Promise.resolve(isSignedIn ? {} : undefined);

  function open(operatorId = "one"): FakeReply {
    const raw = new FakeReply();
    const app = { store: { operators: { findSession } }, now: () => 0 };
    const viewer = {
      request: { headers: { cookie: "sluice_session=s" } },
      reply: { hijack: () => undefined, raw },
      origin: { text: "", isSecure: false, hostname: "" },
      context: { app },
      operator: { operatorId },
    } as unknown as Viewer;
    streams.open(viewer, {
      read: () => state,
      watch: (onChange) => {
        change = onChange;
        return () => undefined;
      },
    });
    return raw;
  }

  it("send the state at once, after changes, and heartbeats in between", async () => {
    const reply = open();
    assert.match(reply.sent, /^event: state\ndata: \{"share":0\}\n\n$/);
    state = { share: 0.5 };
    change();
    change();
    await pass(1);
    assert.equal(reply.sent.split("event: state").length, 3);
    await pass(30);
    assert.match(reply.sent, /: alive\n\n$/);
  });

  it("end with what they show", async () => {
    const reply = open();
    state = undefined;
    change();
    await pass(1);
    assert.match(reply.sent, /event: end\ndata: \{\}\n\n$/);
    assert.equal(streams.count, 0);
  });

  it("are closed for a browser that does not read, and end with the session", async () => {
    const [unread, other] = [open(), open("two")];
    unread.writableLength = 1_000_000;
    await pass(1);
    assert.equal(unread.isDestroyed, true);
    assert.equal(streams.count, 1);
    isSignedIn = false;
    await pass(2);
    assert.equal(streams.count, 0);
    assert.equal(other.isDestroyed, false);
  });

  it("are at most eight for a person, and end when the service stops", () => {
    for (let index = 0; index < 8; index += 1) open();
    assert.throws(open, { errorName: "unavailable" });
    open("two");
    assert.equal(streams.count, 9);
    streams.closeAll();
    assert.equal(streams.count, 0);
  });
});
