// Requests that arrive on one connection before the replies to earlier ones: they are executed one
// after another, and however many there are, they use very little memory and delay nobody.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, it } from "node:test";
import { requestsPerTurn } from "../../../src/http/connection/shared-turns.ts";
import { pathOf, startScene, typeNamed } from "../../contract/scene.ts";
import type { Reply } from "../../support/http-client.ts";
import { makeRandom } from "../../support/random.ts";
import { readAllReplies } from "../../support/raw-replies.ts";
import { openPaused, openRaw, type RawConnection } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeBareServer } from "./bare-server.ts";

const person = typeNamed("person");

function get(path: string, more = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
}

describe("requests on one connection", async () => {
  let pipe: RawConnection;

  const scene = await startScene();
  const customer = await scene.makeCustomer();
  after(() => scene.stop());

  function add(index: number, more = ""): Buffer {
    const record = scene.records.record(person, { person_id: `p-${index}` });
    const body = Buffer.from(JSON.stringify(record));
    const head =
      `POST ${pathOf(person)} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${index}\r\n${more}` +
      `Authorization: Bearer ${customer.token}\r\nContent-Type: application/json\r\n`;
    if (index % 2 === 0)
      return Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body.toString()}`);
    const chunk = `${body.length.toString(16)}\r\n${body.toString()}\r\n0\r\n\r\n`;
    return Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`);
  }

  /** More than the request buffers before its reader has begun, in one packet and the next. */
  function streamOfChunks(): Buffer {
    const line = Buffer.from(JSON.stringify({ person_id: "x".repeat(80_000) }));
    const head =
      `POST ${pathOf(person)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n` +
      "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    const parts: Buffer[] = [Buffer.from(head)];
    for (let at = 0; at < line.length; at += 100) {
      const part = line.subarray(at, at + 100);
      parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
    }
    return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
  }

  /** Sends everything at once and closes its side; returns the replies until the server closes its own. */
  async function exchange(bytes: Buffer): Promise<readonly Reply[]> {
    const { socket, closed } = openRaw(scene.client.address);
    socket.end(bytes);
    const { replies, rest } = readAllReplies(Buffer.from(await closed, "latin1"), []);
    assert.equal(rest.length, 0);
    return replies;
  }

  it("wait until the one before them has been answered", async () => {
    const held = scene.service.holdStore("findRecord");
    pipe = await openPaused(scene.client.address);
    pipe.socket.resume();
    const auth = `Authorization: Bearer ${customer.token}\r\n`;
    pipe.socket.write(get("/v2/person?person_id=late", auth));
    pipe.socket.write(add(1_000));
    await held.called;
    const { turns } = scene.service.sharedBounds;
    await waitFor("the second request", () => turns.waiting === 1);
    const query = { method: "GET", path: "/v2/transaction", token: customer.token };
    assert.equal((await scene.client.send(query)).status, 400);
    assert.deepEqual(pipe.replies(), []);
    held.release();
    await waitFor("both replies", () => pipe.replies().length === 2);
    assert.deepEqual(
      pipe.replies().map(({ status }) => status),
      [404, 201],
    );
    pipe.socket.destroy();
  });

  it("are all answered in order, however their bytes are split into packets", async () => {
    const random = makeRandom(20_261_121);
    const count = 400;
    const bytes = Buffer.concat(Array.from({ length: count }, (_, index) => add(index)));
    pipe = await openPaused(scene.client.address);
    pipe.socket.setNoDelay(true).resume();
    for (let sent = 0; sent < bytes.length;) {
      const size = random.integer(1, random.integer(1, 40_000));
      await new Promise((done) => pipe.socket.write(bytes.subarray(sent, sent + size), done));
      sent += size;
    }
    await waitFor("all replies", () => pipe.replies().length === count);
    for (const [index, { status, headers }] of pipe.replies().entries()) {
      assert.deepEqual([status, headers["x-request-id"]], [201, String(index)]);
    }
    pipe.socket.destroy();
  });

  it("are answered before a half-close takes effect, and a refused body is not parsed as a request", async () => {
    pipe = await openPaused(scene.client.address);
    pipe.socket.resume();
    const refused = add(2_000).toString().replace("application/json", "text/plain");
    pipe.socket.end(get("/health/live").repeat(10) + refused + get("/health/live"));
    await once(pipe.socket, "close");
    const statuses = pipe.replies().map(({ status }) => status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 415, 200]);
  });

  it("are read in order after a stream of many chunks", async () => {
    const count = 200;
    const adds = Array.from({ length: count }, (_, index) => add(3_000 + index));
    const [stream, ...others] = await exchange(Buffer.concat([streamOfChunks(), ...adds]));
    assert.equal(stream?.status, 201);
    assert.deepEqual(
      others.map(({ status, headers }) => [status, headers["x-request-id"]]),
      adds.map((_, index) => [201, String(3_000 + index)]),
    );
  });

  for (const [what, index, upgrade] of [
    ["of a known length, for a WebSocket", 4_000, "Connection: upgrade\r\nUpgrade: websocket\r\n"],
    ["in chunks, for a WebSocket", 4_001, "Connection: upgrade\r\nUpgrade: websocket\r\n"],
    ["of a known length, for HTTP/2", 4_002, "Connection: upgrade\r\nUpgrade: h2c\r\n"],
    ["in chunks, for HTTP/2", 4_003, "Connection: upgrade\r\nUpgrade: h2c\r\n"],
  ] as const) {
    it(`keep their body where they request an upgrade: ${what}`, async () => {
      for (const [first, status] of [
        [Buffer.from(get("/health/live")), 200],
        [streamOfChunks(), 201],
      ] as const) {
        const replies = await exchange(Buffer.concat([first, add(index, upgrade)]));
        const second = status === 200 ? 201 : 409;
        assert.deepEqual(
          replies.map((reply) => reply.status),
          [status, second],
        );
        const isOver = replies.at(-1)?.headers.connection === "close";
        assert.equal(isOver, upgrade.includes("websocket"));
      }
    });
  }

  it("keep what follows a request for HTTP/2 in its packet", async () => {
    const upgrade = "Connection: upgrade\r\nUpgrade: h2c\r\n";
    const earlier = [undefined, Buffer.from(get("/health/live")), streamOfChunks()];
    for (const [index, first = Buffer.alloc(0)] of earlier.entries()) {
      const bytes = Buffer.concat([first, add(4_100 + index * 2, upgrade), add(4_101 + index * 2)]);
      const statuses = (await exchange(bytes)).map(({ status }) => status);
      assert.deepEqual(statuses.slice(-2), [201, 201]);
      assert.equal(statuses.length, index === 0 ? 2 : 3);
    }
  });

  it("are not read from the body of a request that begins in the packet of an upgrade", async () => {
    const body = get("/v2/nothing");
    const auth = `Authorization: Bearer ${customer.token}\r\n`;
    const head =
      `POST ${pathOf(person)} HTTP/1.1\r\nHost: x\r\n${auth}` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    pipe = await openPaused(scene.client.address);
    pipe.socket.resume();
    pipe.socket.write(get("/health/live", "Connection: upgrade\r\nUpgrade: h2c\r\n") + head);
    await waitFor("the first reply", () => pipe.replies().length === 1);
    pipe.socket.write(body);
    await waitFor("the second reply", () => pipe.replies().length === 2);
    assert.deepEqual(
      pipe.replies().map(({ status }) => status),
      [200, 400],
    );
    pipe.socket.destroy();
  });

  it("start a few at a time, so that other connections don't wait for long turns", async () => {
    const count = 64;
    const each = 20;
    let inTurn = 0;
    let most = 0;
    const { server, listen } = makeBareServer((_request, response) => {
      inTurn += 1;
      most = Math.max(most, inTurn);
      response.end();
    });
    const port = await listen();
    const pipes = await Promise.all(
      Array.from({ length: count }, async () => openPaused(`http://127.0.0.1:${port}`)),
    );
    const replies = () => pipes.reduce((sum, one) => sum + one.replies().length, 0);
    let isOver = false;
    const endTurn = (): void => {
      inTurn = 0;
      if (!isOver) setImmediate(endTurn);
    };
    endTurn();
    for (const { socket } of pipes) socket.resume().write(get("/").repeat(1 + each));
    await waitFor("all replies", () => replies() === count * (each + 1));
    isOver = true;
    server.closeAllConnections();
    server.close();
    assert.ok(most <= requestsPerTurn, `${most} requests started in one turn`);
  });

  it("end with their connection where the parser expects a body that the stream does not", async () => {
    const { server, sharedBounds, listen } = makeBareServer((_request, response) => response.end());
    server.prependListener("request", ({ headers }) => delete headers["content-length"]);
    const { socket } = await openPaused(`http://127.0.0.1:${await listen()}`);
    socket.resume().write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    await once(socket, "close");
    assert.deepEqual([sharedBounds.turns.bytes, sharedBounds.turns.waiting], [0, 0]);
    server.close();
  });

  it("are closed with their connection beyond the bytes of a body that waits with an upgrade", async () => {
    const small = await startScene({ bounds: { unparsedBytesMax: 10_000 } });
    const held = small.service.holdStore("probeWrite");
    const { socket } = await openPaused(small.client.address);
    const head =
      "POST /v2/person HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n";
    const body = `Content-Length: 20000\r\n\r\n${"x".repeat(20_000)}`;
    socket.write(get("/health/ready") + head + body);
    const { turns } = small.service.sharedBounds;
    await waitFor("the connection to be closed", () => turns.refused === 1);
    assert.equal(turns.bytes, 0);
    held.release();
    socket.destroy();
    await small.stop();
  });

  it("are closed with their connection beyond the bytes that may wait", async () => {
    const small = await startScene({ bounds: { unparsedBytesMax: 100_000 } });
    const held = small.service.holdStore("probeWrite");
    const pipes: RawConnection[] = [];
    for (let count = 0; count < 4; count += 1) {
      pipes.push(await openPaused(small.client.address));
      pipes.at(-1)?.socket.write(get("/health/ready").repeat(1_000));
    }
    const { turns } = small.service.sharedBounds;
    await waitFor("some to be closed", () => turns.refused > 0);
    assert.ok(turns.bytes <= 100_000, `${turns.bytes} bytes`);
    assert.equal((await small.client.send({ method: "GET", path: "/health/live" })).status, 200);
    held.release();
    for (const { socket } of pipes) socket.destroy();
    await waitFor("nothing to wait", () => turns.waiting === 0);
    assert.equal(turns.bytes, 0);
    await small.stop();
  });

  it("are all answered once their replies are read", async () => {
    const free = await startScene({ environment: { RATE_LIMIT_PER_SECOND: "0" } });
    pipe = await openPaused(free.client.address);
    pipe.socket.write(get("/openapi.json", "Accept-Encoding: br\r\n").repeat(500));
    const { turns } = free.service.sharedBounds;
    await waitFor("a request to wait", () => turns.waiting === 1);
    pipe.socket.resume();
    const all = () => pipe.replies().length === 500;
    await waitFor("all replies", all, { intervalMs: 200 });
    assert.ok(pipe.replies().every(({ status }) => status === 200));
    pipe.socket.destroy();
    await free.stop();
  });
});
