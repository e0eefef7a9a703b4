// A request may ask for what this server declines: another protocol, a tunnel, an expectation. Whatever follows it on
// its connection, the server continues to answer.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const live = "GET /health/live HTTP/1.1\r\nHost: x\r\n";
const upgrade = "Connection: Upgrade\r\nUpgrade: ";

const asks: Readonly<Record<string, string>> = {
  "a WebSocket": `${live}${upgrade}websocket\r\n\r\n`,
  "HTTP/2 after chunks": `${live}${upgrade}h2c\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "a tunnel": "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
};

const rests: Readonly<Record<string, string>> = {
  "four bytes": "xxxx",
  "a bad header line": "GET / HTTP/1.1\r\nbad header\r\n\r\n",
};

describe("a server that declines", () => {
  const folder = makeTempFolder();
  let server: ServerProcess;
  before(async () => {
    server = await startServerProcess(testEnvironment(folder));
  });
  after(async () => {
    await server.end("SIGKILL");
    removeFolder(folder);
  });

  for (const [what, ask] of Object.entries(asks)) {
    for (const [rest, bytes] of Object.entries(rests)) {
      it(`${what} answers the next client after ${rest}`, async () => {
        const { hostname, port } = new URL(server.address);
        const socket = connect(Number(port), hostname).on("error", () => undefined);
        socket.resume().write(ask + bytes);
        const closed = new Promise((resolve) => socket.once("close", resolve));
        const reply = await server.client.send({ method: "GET", path: "/health/live" });
        assert.equal(reply.status, 200);
        socket.end();
        await closed;
      });
    }
  }
});
