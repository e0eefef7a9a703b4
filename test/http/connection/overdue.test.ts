// Which requests in progress take too long, on a clock that jumps.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, it } from "node:test";
import { connectionOf } from "../../../src/http/connection/connection.ts";
import { makeHttpServer } from "../../../src/http/connection/http-server.ts";
import { makeEdge } from "../../../src/http/connection/shared-bounds.ts";
import { makeLog } from "../../../src/log.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("a request that takes too long", () => {
  it("is one to which nothing was sent, unless it may last", async (test) => {
    const edge = makeEdge({ trustProxy: false });
    const replies = new Map<string, ServerResponse>();
    const server = makeHttpServer(
      (request, response) => {
        const { url = "" } = request;
        if (url === "/lasting") connectionOf(request)?.allowLasting();
        if (url === "/begun") response.writeHead(200).flushHeaders();
        replies.set(url, response);
      },
      { edge, log: makeLog("silent") },
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const paths = ["/slow", "/lasting", "/begun"];
    const sockets = paths.map((path) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined).write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return socket;
    });
    try {
      await waitFor("all requests", () => replies.size === paths.length || undefined);
      const ended = () => {
        for (const connection of edge.connections) connection.endOverdue(60_000);
        return [...replies.values()]
          .filter((reply) => connectionOf(reply)?.isClosing)
          .map(({ req }) => req.url);
      };
      assert.deepEqual(ended(), []);
      const now = performance.now.bind(performance);
      test.mock.method(performance, "now", () => now() + 60_000);
      assert.deepEqual(ended(), ["/slow"]);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
