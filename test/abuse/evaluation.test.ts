// The conclusions of a campaign can be negative: figures, findings, and losses.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeClient } from "../support/http-client.ts";
import { startServer } from "../support/server.ts";
import { makeCustomer } from "../support/customer.ts";
import { waitFor } from "../support/wait-for.ts";
import { figuresOf, GoodClient, type PhaseReport } from "./good-client.ts";
import { ReplyScanner } from "./reply-scanner.ts";
import { missedTargetsOf } from "./report.ts";
import { badStatuses } from "./tally.ts";

describe("the figures of a good client", () => {
  it("are the smallest latencies that half, and 99 of 100, do not exceed", () => {
    const latencies = Array.from({ length: 200 }, (_, index) => 200 - index);
    assert.deepEqual(figuresOf(latencies), { count: 200, p50Ms: 100, p99Ms: 198 });
    assert.equal(figuresOf([]).count, 0);
  });

  it("fail the acceptance when p99 grows too much, and far above its floor, or a request times out", () => {
    const row = { name: "", tally: { sent: 1, replies: {}, refused: 0, closed: 0 } };
    const rest = { peakBytes: 1, settledBytes: 1, eventLoopP99Ms: 1, eventLoopMaxMs: 1 };
    const made = (idleMs: number, underMs: number, { timeouts = 0, floorMs = Number.NaN } = {}) =>
      missedTargetsOf({
        ...row,
        ...rest,
        findings: [],
        idle: phaseOf(idleMs, 0),
        under: phaseOf(underMs, timeouts),
        floor: phaseOf(floorMs, 0),
      });
    assert.deepEqual(made(10, 50), []);
    assert.equal(made(10, 51).length, 1);
    assert.equal(made(10, 20, { timeouts: 1 }).length, 1);
    assert.deepEqual(made(10, 200, { floorMs: 100 }), []);
    assert.equal(made(10, 201, { floorMs: 100 }).length, 1);
    assert.equal(made(Number.NaN, 20).length, 1);
  });
});

describe("a good client", () => {
  it("reports failures, and acknowledged records that are missing", async () => {
    const server = await startServer();
    const { token, organizationId } = await server.operate((app) =>
      makeCustomer(app, server.client),
    );
    const client = makeClient(server.address);
    let answer = { status: 201, text: "" };
    // Acknowledges what is never stored.
    const lying = {
      ...client,
      send: async (ask: Parameters<typeof client.send>[0]) => {
        if (ask.method === "GET") return client.send(ask);
        return { ...answer, headers: {}, bytes: Buffer.alloc(0), body: { write_count: 100 } };
      },
    };
    const good = new GoodClient(lying, token);
    await waitFor("an add", async () => (await good.endPhase()).all.count > 0);
    answer = { status: 503, text: "no" };
    await waitFor("a failure", async () =>
      (await good.endPhase()).failures.some((failure) => failure.includes("503 no")),
    );
    const { missing } = await good.stop();
    assert.ok(missing.length > 0, organizationId);
    client.close();
    await server.stop();
  });
});

describe("the count of an abuser", () => {
  it("has the statuses of complete replies, however they are split into packets", () => {
    const bytes = Buffer.from(
      "HTTP/1.1 100 Continue\r\n\r\n" +
        "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nHTTP/1.1 500 no \r\n\r\n" +
        "HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n" +
        "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    );
    for (const step of [1, 2, 3, 7, 50, bytes.length]) {
      const statuses: number[] = [];
      const scanner = new ReplyScanner((status) => statuses.push(status));
      for (let at = 0; at < bytes.length; at += step) scanner.push(bytes.subarray(at, at + step));
      assert.deepEqual(statuses, [200, 429, 201], `in steps of ${step}`);
    }
  });

  it("is bad if it has a 5xx that no limit explains", () => {
    const tally = { sent: 1, refused: 0, closed: 0 };
    assert.deepEqual(badStatuses({ ...tally, replies: { 200: 1, 429: 1, 503: 1 } }), []);
    assert.deepEqual(badStatuses({ ...tally, replies: { 500: 1, 504: 2 } }), ["500", "504"]);
  });
});

function phaseOf(p99Ms: number, timeouts: number): PhaseReport {
  const all = { count: 100, p50Ms: 1, p99Ms };
  return { all, kinds: { add: all, check: all, update: all, list: all }, timeouts, failures: [] };
}
