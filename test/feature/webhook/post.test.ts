// One attempt at a hostile receiver: it ends within its bounds, whatever the receiver does, and reaches only the
// address that was checked. The receivers and the name server are real ones on loopback.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { makeAllowedAddresses } from "../../../src/feature/webhook/allowed-address.ts";
import {
  makePost,
  type PostOptions,
  type PostResult,
  makeResolver,
} from "../../../src/feature/webhook/post.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { startNameServer } from "../../support/name-server.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const loopback = makeAllowedAddresses(["127.0.0.0/8"]);
const toLoopback = (): Promise<readonly string[]> => Promise.resolve(["127.0.0.1"]);
/** To such an address, `connect` itself fails. */
const toMulticast = (): Promise<readonly string[]> => Promise.resolve(["224.0.0.1"]);
const never = new AbortController().signal;
const open: { close: () => void }[] = [];
after(() => {
  for (const one of open) one.close();
});

interface Receiver {
  readonly port: number;
  /** What it has received, by connection. */
  readonly received: string[];
}

/** `reply` is called for each connection with the first bytes of its request. */
async function receive(
  reply: (socket: Socket) => void,
  host = "127.0.0.1",
  at = 0,
): Promise<Receiver> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const number = received.push("") - 1;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => (received[number] += chunk.toString("latin1")));
    socket.once("data", () => reply(socket));
  });
  server.listen(at, host);
  await once(server, "listening");
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  open.push({ close });
  return { port: (server.address() as AddressInfo).port, received };
}

function answer(head: string, body = ""): (socket: Socket) => void {
  return (socket) => void socket.end(`HTTP/1.1 ${head}\r\n\r\n${body}`);
}

interface Trying extends Partial<PostOptions> {
  readonly host?: string;
  readonly scheme?: string;
}

function post(port: number, { host = "127.0.0.1", scheme = "http", ...more }: Trying = {}) {
  const options = {
    allowed: loopback,
    resolve: () => Promise.resolve([]),
    attemptMs: 5_000,
    ...more,
  };
  const url = `${scheme}://${host}:${port}/hook?a=b`;
  return makePost(options)({ url, headers: { "webhook-id": "msg_1" }, body: '{"a":1}' }, never);
}

function statusOf(result: PostResult): number | string {
  return "status" in result ? result.status : result.failure;
}

/** In a thread of its own, so that a connection can be reset while this one looks at it. */
const resettingServer = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer((socket) => socket.on("error", () => {}).resetAndDestroy());
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

describe("an attempt", () => {
  it("fails as a connection does, not by its address, if the receiver resets it at once", async () => {
    const server = new Worker(resettingServer, { eval: true });
    const [port] = (await once(server, "message")) as [number];
    try {
      for (let count = 0; count < 100; count += 1) {
        assert.equal(statusOf(await post(port, { scheme: "https" })), "connection failed");
      }
    } finally {
      await server.terminate();
    }
  });

  it("sends the message in one request, and reports the status of the reply", async () => {
    const { port, received } = await receive(answer("204 No Content\r\nretry-after: 7"));
    assert.deepEqual(await post(port), { status: 204, retryAfter: "7" });
    assert.equal(received.length, 1);
    assert.match(
      received[0] ?? "",
      /^POST \/hook\?a=b HTTP\/1\.1\r\nwebhook-id: msg_1\r\ncontent-length: 7\r\n/,
    );
    assert.match(
      received[0] ?? "",
      /\r\nHost: 127\.0\.0\.1:\d+\r\nConnection: close\r\n\r\n\{"a":1\}$/,
    );
  });

  it("follows no redirect", async () => {
    const { port: inner, received } = await receive(answer("200 OK"));
    const location = `location: http://127.0.0.1:${inner}/`;
    for (const status of ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"]) {
      const { port } = await receive(answer(`${status}\r\n${location}`));
      assert.equal(statusOf(await post(port)), Number(status.slice(0, 3)));
    }
    assert.deepEqual(received, []);
  });

  it("ends in time if there is no reply, or one without an end", async () => {
    const { port: silent } = await receive(() => undefined);
    const attemptMs = 100;
    assert.equal(statusOf(await post(silent, { attemptMs })), "no reply in time");
    const { port: dripping } = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("a: b\r\n"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    assert.equal(statusOf(await post(dripping, { attemptMs })), "no reply in time");
  });

  it("reads a bounded part of a body, and counts the status", async () => {
    let sent = 0;
    const { port } = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on("drain", more);
      more();
    });
    assert.equal(statusOf(await post(port)), 200);
    assert.ok(sent < 32 * 1_024 * 1_024, String(sent));
    const { port: stalling } = await receive((socket) => {
      socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\nabc");
    });
    assert.equal(statusOf(await post(stalling)), 202);
  });

  it("refuses endless headers, endless interim replies, other protocols and what is not HTTP", async () => {
    const { port: headers } = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = (): void => {
        while (!socket.destroyed && socket.write(`a: ${"b".repeat(1_000)}\r\n`));
      };
      socket.on("drain", more);
      more();
    });
    assert.equal(statusOf(await post(headers)), "reply not valid");
    const { port: interim } = await receive((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
      };
      socket.on("drain", more);
      more();
    });
    assert.equal(statusOf(await post(interim)), "reply not valid");
    const { port: upgrade } = await receive(
      answer("101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade"),
    );
    assert.equal(statusOf(await post(upgrade)), "reply not valid");
    const { port: ssh } = await receive((socket) => void socket.end("SSH-2.0-x\r\n"));
    assert.equal(statusOf(await post(ssh)), "reply not valid");
  });

  it("reports connections that are refused, reset or closed", async () => {
    const { port: resetting } = await receive((socket) => void socket.resetAndDestroy());
    assert.equal(statusOf(await post(resetting)), "connection failed");
    const { port: closing } = await receive((socket) => void socket.destroy());
    assert.equal(statusOf(await post(closing)), "connection failed");
    assert.equal(statusOf(await post(1)), "connection failed");
  });

  it("takes a reply that comes before the request has ended", async () => {
    const { port } = await receive((socket) => {
      socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n", () =>
        socket.destroySoon(),
      );
    });
    assert.equal(statusOf(await post(port)), 413);
  });

  it("is given up when the process stops", async () => {
    const { port } = await receive(() => undefined);
    const stopping = new AbortController();
    const options = { allowed: loopback, resolve: () => Promise.resolve([]) };
    const message = { url: `http://127.0.0.1:${port}`, headers: {}, body: "" };
    const attempt = makePost(options)(message, stopping.signal);
    stopping.abort();
    assert.equal(statusOf(await attempt), "stopped");
  });
});

describe("the address of an attempt", () => {
  it("is checked whether the URL has a name or an address", async () => {
    const { port, received } = await receive(answer("200 OK"));
    const names = await startNameServer(() => ["127.0.0.1"]);
    open.push(names);
    const resolve = makeResolver([names.address]);
    const none = makeAllowedAddresses([]);
    for (const scheme of ["http", "https"]) {
      for (const host of [
        "127.0.0.1",
        "hooks.example",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:7f00:1]",
      ]) {
        const result = await post(port, { host, scheme, allowed: none, resolve });
        assert.equal(statusOf(result), "address not allowed", host);
      }
    }
    assert.deepEqual(received, []);
  });

  it("is public for http only where the operator says so", async () => {
    const result = await post(80, { host: "8.8.8.8" });
    assert.equal(statusOf(result), "address not allowed");
  });

  it("is the one that was checked, though the name means another one a moment later", async () => {
    const first = await receive(answer("200 OK"));
    const second = await receive(answer("200 OK"), "127.0.0.2", first.port);
    const names = await startNameServer((_name, asked) => [
      asked === 0 ? "127.0.0.1" : "127.0.0.2",
    ]);
    open.push(names);
    const allowed = makeAllowedAddresses(["127.0.0.1"]);
    const resolve = makeResolver([names.address]);
    const options = { host: "rebinding.example", allowed, resolve };
    assert.equal(statusOf(await post(first.port, options)), 200);
    assert.deepEqual(names.asked, ["rebinding.example"]);
    assert.equal(statusOf(await post(first.port, options)), "address not allowed");
    assert.deepEqual([first.received.length, second.received.length], [1, 0]);
  });

  it("is the first to which a connection can be made", async () => {
    const { port, received } = await receive(answer("200 OK"));
    const allowed = { allows: () => true, allowsPlain: () => true, allowsSomePlain: true };
    for (const dead of ["127.0.0.9", "::1", "224.0.0.1"]) {
      const resolve = () => Promise.resolve([dead, dead, "127.0.0.1"]);
      const result = await post(port, { host: "many.example", allowed, resolve });
      assert.equal(statusOf(result), 200, dead);
    }
    assert.equal(received.length, 3);
  });

  it("is an allowed one if a name has others besides", async () => {
    const { port } = await receive(answer("200 OK"));
    const names = await startNameServer(() => ["10.0.0.1", "127.0.0.1", "169.254.169.254"]);
    open.push(names);
    const resolve = makeResolver([names.address]);
    const result = await post(port, { host: "mixed.example", resolve });
    assert.equal(statusOf(result), 200);
  });

  it("is waited for within the time of the attempt", async () => {
    const silent = await startNameServer(() => undefined);
    open.push(silent);
    const options = {
      host: "slow.example",
      resolve: makeResolver([silent.address]),
      attemptMs: 200,
    };
    assert.equal(statusOf(await post(1, options)), "no reply in time");
    const names = await startNameServer(() => []);
    open.push(names);
    const unknown = { host: "none.example", resolve: makeResolver([names.address]) };
    assert.equal(statusOf(await post(1, unknown)), "name not found");
  });
});

describe("an attempt with TLS", () => {
  const folder = makeTempFolder();
  const files = makeCertificates(join(folder, "tls"), { name: "hooks.example", owner: {} });

  it("fails where the address can't be connected to at once, and ends nothing else", async () => {
    const allowed = { allows: () => true, allowsPlain: () => true, allowsSomePlain: true };
    for (const scheme of ["http", "https"]) {
      for (const host of ["hooks.example", "224.0.0.1", "[ff02::1]"]) {
        const result = await post(1, { host, scheme, allowed, resolve: toMulticast });
        assert.equal(statusOf(result), "connection failed");
      }
    }
  });

  it("needs a certificate for the name, by an authority that is trusted", async () => {
    const server = createHttps(
      { key: readFileSync(files.serverKey), cert: readFileSync(files.server) },
      (_request, reply) => void reply.writeHead(204).end(),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    });
    const { port } = server.address() as AddressInfo;
    const ca = readFileSync(files.authority, "utf8");
    const good = { host: "hooks.example", scheme: "https", resolve: toLoopback, ca };
    assert.equal(statusOf(await post(port, good)), 204);
    const { ca: _ca, ...untrusted } = good;
    assert.equal(statusOf(await post(port, untrusted)), "TLS failed");
    assert.equal(statusOf(await post(port, { ...good, host: "other.example" })), "TLS failed");
    const { port: plain } = await receive(answer("200 OK"));
    assert.equal(statusOf(await post(plain, good)), "TLS failed");
  });
});
