// Which requests in progress take too long, on a clock that jumps.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { connectionOf } from "../../../src/http/connection/connection.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeBareServer } from "./bare-server.ts";

describe("a request that takes too long", () => {
  it("is one to which nothing was sent, unless it may last, or that goes on after its reply", async (test) => {
    const replies = new Map<string, ServerResponse>();
    const { server, sharedBounds, listen } = makeBareServer((request, response) => {
      const { url = "" } = request;
      if (url === "/lasting" || url === "/answered") connectionOf(request)?.allowLasting();
      if (url === "/begun") response.writeHead(200).flushHeaders();
      if (url === "/answered") response.end();
      replies.set(url, response);
    });
    const port = await listen();
    const paths = ["/slow", "/lasting", "/begun", "/answered"];
    const sockets = paths.map((path) => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      const body = path === "/answered" ? "content-length: 2\r\n\r\n1" : "\r\n";
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${body}`);
      return socket;
    });
    try {
      await waitFor("all requests", () => replies.size === paths.length);
      await waitFor("the reply", () => replies.get("/answered")?.writableFinished);
      const ended = () => {
        for (const connection of sharedBounds.connections) connection.endOverdue(60_000);
        const closing = [...replies.values()].filter(({ req }) => connectionOf(req)?.isClosing);
        return new Set(closing.map(({ req }) => req.url));
      };
      assert.deepEqual(ended(), new Set());
      const now = performance.now.bind(performance);
      test.mock.method(performance, "now", () => now() + 60_000);
      assert.deepEqual(ended(), new Set(["/slow", "/answered"]));
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
