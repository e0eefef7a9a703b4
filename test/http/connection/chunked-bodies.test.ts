// Bodies of very many chunks: one that nobody asks for is not parsed, one of tiny chunks ends soon, and they take
// turns.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { startScene } from "../../contract/scene.ts";
import { openRaw, type RawConnection } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";

function head(line: string, more = ""): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${more}\r\n`;
}

function chunkOf(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

describe("a chunked body", async () => {
  const scene = await startScene();
  after(() => scene.stop());

  const form = "Origin: http://x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
  const link = head("POST /console/link", form);

  function open(bytes: string): RawConnection {
    const connection = openRaw(scene.client.address);
    connection.socket.write(bytes);
    return connection;
  }

  async function exchange(bytes: string): Promise<{ status: number; connection: string }> {
    const { socket, received, replies } = open(bytes);
    await waitFor("a reply", () => received().includes("\r\n\r\n"));
    const [reply] = replies();
    await waitFor("the end of the connection", () => socket.readableEnded);
    socket.destroy();
    return { status: reply?.status ?? 0, connection: reply?.headers.connection ?? "" };
  }

  for (const [line, status] of [
    ["GET /health/live", 400],
    ["GET /docs/reference.js", 400],
    ["GET /console/sign-in", 400],
    ["GET /nothing", 404],
    ["PATCH /health/live", 405],
    ["POST /v2/person", 401],
    ["POST /console/sign-out", 403],
  ] as const) {
    it(`is not parsed where nobody asks for it, and ends the connection: ${line}`, async () => {
      const reply = await exchange(`${head(line)}no chunk`);
      assert.deepEqual(reply, { status, connection: "close" });
    });
  }

  it("is refused when it has too many chunks that are small on average, before its end", async () => {
    const { chunksMin, chunkBytesMeanMin } = limits;
    const small = chunkOf("x".repeat(chunkBytesMeanMin / 2)).repeat(chunksMin * 2);
    assert.deepEqual(await exchange(link + small), { status: 400, connection: "close" });
    const extended = `1;${"x".repeat(20)}\r\nx\r\n`.repeat(chunksMin);
    assert.deepEqual(await exchange(link + extended), { status: 400, connection: "close" });
  });

  const length = (line: string, more = ""): string =>
    head(line, more).replace("Transfer-Encoding: chunked", "Content-Length: 100");
  for (const [fault, makeHead, bytes, message] of [
    [
      "it has too many small chunks",
      head,
      chunkOf(" ").repeat(limits.chunksMin * 2),
      /small chunks/,
    ],
    ["it is not valid", head, `${chunkOf("\n")}no chunk`, /not valid HTTP/],
    ["its client closes its side", head, chunkOf("{}\n"), /ended before it was complete/],
    ["the same client has sent its length", length, "{}\n", /ended before it was complete/],
  ] as const) {
    it(`ends a stream with a summary when ${fault}`, async () => {
      const { token } = await scene.makeCustomer();
      const fields = `Authorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\n`;
      const path = "POST /v2/transactions/batch";
      const { socket, received } = open(makeHead(path, fields) + bytes);
      // Its first line is refused in the reply.
      if (bytes.includes("{}")) {
        await waitFor("a line of the reply", () => received().includes("{"));
        socket.end();
      }
      const hasEnded = () => socket.closed || socket.readableEnded;
      await waitFor("the end of the connection", hasEnded);
      socket.destroy();
      const summary = JSON.parse(
        received()
          .match(/^\{.*\}$/gm)
          ?.at(-1) ?? "{}",
      ) as Record<string, unknown>;
      assert.equal(summary["success"], false);
      assert.equal(summary["code"], 40_003);
      assert.match(String(summary["message"]), message);
    });
  }

  it("is refused when it has too many empty lines, which cost as much as chunks", async () => {
    const chunk = chunkOf("\r\n\r\n".repeat(limits.chunksMin * 2));
    const reply = await exchange(`${link + chunk}0\r\n\r\n`);
    assert.deepEqual(reply, { status: 400, connection: "close" });
  });

  it("is read when it has many chunks that are not small, or a few that are", async () => {
    const { chunksMin, chunkBytesMeanMin } = limits;
    for (const [size, count] of [
      [chunkBytesMeanMin + 1, chunksMin * 2],
      [1, chunksMin - 1],
    ] as const) {
      const chunks = chunkOf("x".repeat(size)).repeat(count);
      const { socket, received } = open(`${link + chunks}0\r\n\r\n`);
      await waitFor("a reply", () => received().includes("\r\n\r\n"));
      // The form was read to its end: it has no token.
      assert.match(received(), /^HTTP\/1\.1 4(?!00|13)\d\d /);
      socket.destroy();
    }
  });

  it("is read to the bound of a form", async () => {
    const chunks = chunkOf("x".repeat(4_096)).repeat(200);
    assert.equal((await exchange(link + chunks)).status, 413);
  });

  it("is read whole, with extensions, empty lines and trailers, however its bytes are split", async () => {
    const whole = `${chunkOf("token=1")}4;a="b"\r\n\r\n\r\n\r\n0\r\nX-Trailer: 1\r\n\r\n`;
    const { socket, received } = open(link);
    socket.setNoDelay();
    for (const byte of whole) await new Promise((done) => socket.write(byte, done));
    socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
    await waitFor("both replies", () => received().match(/HTTP\/1\.1 \d/g)?.length === 2);
    assert.match(received(), /^HTTP\/1\.1 4(?!00|13)\d\d .*HTTP\/1\.1 200 /s);
    socket.destroy();
  });

  it("waits in bounded memory while others take their turns", async () => {
    const { turns } = scene.service.sharedBounds;
    const packet = link + chunkOf("x".repeat(65)).repeat(2_000);
    const sockets = Array.from({ length: 16 }, () => open(packet));
    assert.equal((await scene.client.send({ method: "GET", path: "/health/live" })).status, 200);
    for (const { socket } of sockets) socket.destroy();
    await waitFor("nothing to wait", () => turns.bytes === 0);
  });
});
