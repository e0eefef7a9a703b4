// The sweep that ends requests which take too long, on timers that the test moves.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { RequestWatch, type Watched } from "../../../src/http/connection/request-watch.ts";

let time = 0;

beforeEach(() => {
  time = 1_000;
  mock.timers.enable({ apis: ["setInterval"] });
  mock.method(performance, "now", () => time);
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

function advanceMs(milliseconds: number): void {
  time += milliseconds;
  mock.timers.tick(milliseconds);
}

interface Named extends Watched {
  readonly name: string;
}

function item(name: string): Named {
  return { name, startedAt: performance.now() };
}

function makeWatch(): { watch: RequestWatch<Named>; overdue: string[] } {
  const overdue: string[] = [];
  const watch = new RequestWatch<Named>({
    limitMs: 60,
    sweepMs: 5,
    onOverdue: ({ name }) => overdue.push(name),
  });
  return { watch, overdue };
}

describe("the request watch", () => {
  it("reports a request that takes longer than the limit, once", () => {
    const { watch, overdue } = makeWatch();
    watch.begin(item("slow"));
    advanceMs(59);
    assert.deepEqual(overdue, []);
    advanceMs(10);
    assert.deepEqual(overdue, ["slow"]);
    advanceMs(100);
    assert.deepEqual(overdue, ["slow"]);
  });

  it("ignores requests that have ended", () => {
    const { watch, overdue } = makeWatch();
    const quick = watch.begin(item("quick"));
    watch.begin(item("slow"));
    watch.end(quick);
    advanceMs(100);
    assert.deepEqual(overdue, ["slow"]);
  });

  it("reuses a slot without confusing its requests", () => {
    const { watch, overdue } = makeWatch();
    const first = watch.begin(item("first"));
    watch.end(first);
    assert.equal(watch.begin(item("second")), first);
    assert.notEqual(watch.begin(item("third")), first);
    advanceMs(100);
    assert.deepEqual(overdue, ["second", "third"]);
  });

  it("distinguishes old from new requests in one sweep", () => {
    const { watch, overdue } = makeWatch();
    watch.begin(item("first"));
    advanceMs(30);
    watch.begin(item("second"));
    advanceMs(40);
    assert.deepEqual(overdue, ["first"]);
    advanceMs(40);
    assert.deepEqual(overdue, ["first", "second"]);
  });

  it("stops when it is told to", () => {
    const { watch, overdue } = makeWatch();
    watch.begin(item("slow"));
    watch.stop();
    advanceMs(1_000);
    assert.deepEqual(overdue, []);
  });
});
