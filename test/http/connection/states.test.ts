// A connection that breaks in any state, in any way: the process continues, reports no unhandled
// error, and serves the next client. In a separate process, since such an error would end it.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import { makeCustomer } from "../../support/customer.ts";
import { operate } from "../../support/server.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const folder = makeTempFolder();
const environment = testEnvironment(folder);

const server = await startServerProcess(environment);
const { token } = await operate(environment, (app) => makeCustomer(app, server.client));
after(() => server.end("SIGTERM"));

const host = "host: x\r\n";
const upgrade = "connection: upgrade\r\nupgrade: websocket\r\n";
const length = "content-length: 5\r\n\r\n";
const chunks = "transfer-encoding: chunked\r\n\r\n";
const json = "content-type: application/json\r\n";
const lines = "content-type: application/x-ndjson\r\n";
const get = `GET /openapi.json HTTP/1.1\r\n${host}\r\n`;

/** What the client has sent when the connection breaks. */
const states: Readonly<Record<string, () => string>> = {
  idle: () => "",
  "in the request line": () => "GET /hea",
  "in the headers": () => `GET /health/live HTTP/1.1\r\n${host}a: `,
  "in bytes that are not HTTP": () => "GARBAGE\r\n\r\n",
  "after CONNECT": () => "CONNECT x:1 HTTP/1.1\r\n\r\n",
  "after CONNECT with a Host": () => `CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
  "after CONNECT before its body": () => `CONNECT x:1 HTTP/1.1\r\n${host}${length}`,
  "in the body of CONNECT": () => `CONNECT x:1 HTTP/1.1\r\n${host}${length}ab`,
  "in a chunk of CONNECT": () => `CONNECT x:1 HTTP/1.1\r\n${host}${chunks}5\r\nab`,
  "after the body of CONNECT": () => `CONNECT x:1 HTTP/1.1\r\n${host}${length}abcdeX`,
  "after CONNECT after a request": () => `${get}CONNECT x:1 HTTP/1.1\r\n${host}\r\n`,
  "after an upgrade": () => `GET /health/live HTTP/1.1\r\n${host}${upgrade}\r\n`,
  "in bytes after an upgrade": () => `GET /health/live HTTP/1.1\r\n${host}${upgrade}\r\nxxxx`,
  "in malformed bytes after an upgrade to HTTP/2": () =>
    `GET /health/live HTTP/1.1\r\n${host}${upgrade.replace("websocket", "h2c")}${chunks}0\r\n\r\nGET / HTTP/1.1\r\nb\r\n\r\n`,
  "in malformed bytes after CONNECT": () =>
    `CONNECT x:1 HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\nbad header\r\n\r\n`,
  "in the headers of an upgrade": () => `GET /health/live HTTP/1.1\r\n${host}${upgrade}`,
  "in the body of an upgrade": () => `${write()}${upgrade}${json}${length}{`,
  "in a chunk of an upgrade": () => `${write()}${upgrade}${json}${chunks}5\r\n{`,
  "before an expected body": () => `${write()}${json}expect: 100-continue\r\n${length}`,
  "in an expected body": () => `${write()}${json}expect: 100-continue\r\n${length}{`,
  "in a body": () => `${write()}${json}${length}{`,
  "in a chunk": () => `${write()}${json}${chunks}5\r\n{`,
  "in a compressed body": () => `${write()}${json}content-encoding: gzip\r\n${length}\u001f`,
  "in a stream": () => `${write()}${lines}${chunks}3\r\n{}\n\r\n`,
  "in a broken chunk of a stream": () => `${write()}${lines}${chunks}3\r\n{}\n\r\nno chunk\r\n`,
  "in a rejected body": () => `POST /v2/person HTTP/1.1\r\n${host}${json}${chunks}5\r\n{`,
  "in the reply": () => get,
  "in the reply to the first of many requests": () => get.repeat(1_000),
  "in a large reply": () => `GET /docs/reference.js HTTP/1.1\r\n${host}\r\n`,
  "in malformed bytes after many requests": () => `${get.repeat(50)}GARBAGE\r\n\r\n`,
};

function write(): string {
  return `POST /v2/person HTTP/1.1\r\n${host}authorization: Bearer ${token}\r\n`;
}

/** How it breaks; each resolves when the client's side of the connection is closed. */
const endings: Readonly<Record<string, (socket: Socket) => Promise<void>>> = {
  "a reset at once": async (socket) => void socket.resetAndDestroy(),
  "a close at once": async (socket) => void socket.destroy(),
  "a reset after the first bytes of a reply": async (socket) => {
    const closed = once(socket, "close");
    await Promise.race([once(socket, "data"), closed, server.client.send(live)]);
    socket.resetAndDestroy();
  },
  "a half-close, and a reset when the reply has begun": async (socket) => {
    const closed = once(socket, "close");
    socket.end();
    await Promise.race([once(socket, "data"), closed, server.client.send(live)]);
    socket.resetAndDestroy();
  },
  "a half-close, with the reply read to its end": async (socket) => {
    const closed = once(socket, "close");
    socket.resume().end();
    await closed;
  },
};

const live = { method: "GET", path: "/health/live" };

describe("a broken connection", () => {
  for (const [state, bytes] of Object.entries(states)) {
    for (const [ending, end] of Object.entries(endings)) {
      it(`${state} by ${ending} leaves the process unharmed`, async () => {
        const socket = await open();
        const text = bytes();
        if (text !== "") await new Promise((sent) => socket.write(text, "latin1", sent));
        await end(socket);
        assert.equal((await server.client.send(live)).status, 200);
        assert.deepEqual(
          [server.child.exitCode, server.child.signalCode, server.output().err],
          [null, null, ""],
        );
      });
    }
  }
});

describe("a half-closed request", () => {
  for (const state of [
    "in the request line",
    "in the headers",
    "in the headers of an upgrade",
    "in the body of an upgrade",
    "in a chunk of an upgrade",
    "in the body of CONNECT",
    "in a body",
    "in a chunk",
    "in a rejected body",
  ]) {
    it(`${state} gets a reply`, async () => {
      const socket = await open();
      let received = "";
      socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
      const closed = once(socket, "close");
      socket.end(states[state]?.() ?? "", "latin1");
      await closed;
      assert.match(received, /^HTTP\/1\.1 4\d\d /);
      if (state === "in the headers")
        assert.match(received, /The request ended before it was complete/);
      assert.equal(received.match(/^HTTP\//gm)?.length, 1, received);
    });
  }
});

describe("a burst of connections while the process is busy", () => {
  it("keeps nobody waiting for another attempt to connect", async () => {
    const sockets: Promise<Socket>[] = [];
    server.child.kill("SIGSTOP");
    try {
      for (let count = 0; count < 1_000; count += 1) sockets.push(open());
      await Promise.all(sockets);
    } finally {
      server.child.kill("SIGCONT");
    }
    for (const socket of await Promise.all(sockets)) socket.destroy();
    assert.equal((await server.client.send(live)).status, 200);
  });
});

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(server.address);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}
