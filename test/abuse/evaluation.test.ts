// A campaign can find losses, and counts replies.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeClient } from "../support/http-client.ts";
import { startServer } from "../support/server.ts";
import { makeCustomer } from "../support/customer.ts";
import { waitFor } from "../support/wait-for.ts";
import { GoodClient } from "./good-client.ts";
import { ReplyScanner } from "./reply-scanner.ts";

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
});
