// Streams whose clients do not read, or continue to send after the stream has ended: none stalls,
// and none uses memory in proportion to its length.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, describe, it } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import { limits } from "../../src/domain/limits.ts";
import { fetchToken } from "../support/customer.ts";
import { openStream, linesOf } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { listPathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client, records } = scene;
const customer = await scene.makeCustomer();
const type = typeNamed("risk_assessment");
after(() => scene.stop());

/**
 * Begins a chunked request over a separate socket; nothing reads from the socket unless the test
 * does.
 */
async function beginUnread(token: string): Promise<Socket> {
  const { hostname, port } = new URL(client.address);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `POST ${listPathOf(type)} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${token}\r\n` +
      "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
  );
  return socket;
}

/** Resolves when the server, or the kernel, has accepted the bytes. */
function sendChunk(socket: Socket, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  return new Promise((resolve, reject) => {
    socket.write(`${bytes.length.toString(16)}\r\n`);
    socket.write(bytes);
    socket.write("\r\n", (error) => (error ? reject(error) : resolve()));
  });
}

/** Ends the request and reads the whole reply; returns its objects. */
async function endAndRead(socket: Socket): Promise<readonly Record<string, unknown>[]> {
  socket.write("0\r\n\r\n");
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString();
  return [...body.matchAll(/^\{.*\}$/gm)].map(
    ([line]) => JSON.parse(line) as Record<string, unknown>,
  );
}

describe("a stream whose reply is not read before everything is sent", () => {
  it("is read completely, and its summary says how many refused lines it does not list", async () => {
    const socket = await beginUnread(customer.token);
    const first = records.record(type);
    const last = records.record(type);
    await sendChunk(socket, `${JSON.stringify(first)}\n`);
    // More rejections, and then more lines to reject, than the kernel buffers.
    const [wrong, long] = [4_000, 1_500];
    const unknown = Array.from({ length: 60 }, (_, index) => [`unknown_${index}`, index]);
    const line = `${JSON.stringify(Object.fromEntries(unknown))}\n`;
    for (let sent = 0; sent < wrong; sent += 100) await sendChunk(socket, line.repeat(100));
    const tooLong = `${"x".repeat(limits.streamLineBytesMax + 1)}\n`;
    for (let sent = 0; sent < long; sent += 1) await sendChunk(socket, tooLong);
    const refused = wrong + long;
    await sendChunk(socket, `${JSON.stringify(last)}\n`);
    const lines = await endAndRead(socket);
    const summary = lines.at(-1) ?? {};
    const { success, write_count, received, unlisted } = summary;
    assert.deepEqual(
      { success, write_count, received, refused: summary["refused"] },
      { success: true, write_count: 2, received: refused + 2, refused },
    );
    assert.ok(Number(unlisted) > 0);
    assert.equal(lines.length - 1, refused - Number(unlisted));
    assert.match(String(summary["message"]), new RegExp(`${String(unlisted)} refused lines`));
    assert.ok(
      (await scene.exists(customer, type, first)) && (await scene.exists(customer, type, last)),
    );
  });

  it("lists every refused line where there is room for them", async () => {
    const socket = await beginUnread(customer.token);
    for (let sent = 0; sent < 20; sent += 1) await sendChunk(socket, "x\n".repeat(100));
    const lines = await endAndRead(socket);
    assert.deepEqual(
      lines.slice(0, -1).map(({ line }) => line),
      Array.from({ length: 2_000 }, (_, index) => index + 1),
    );
    assert.equal(lines.at(-1)?.["unlisted"], undefined);
  });
});

describe("a failed stream", () => {
  it("sends its summary even to a client that continues to send, and writes none of that", async () => {
    const token = await fetchToken(client, customer, { expirySeconds: 300 });
    const socket = await beginUnread(token);
    const [one, two] = [records.record(type), records.record(type)];
    await sendChunk(socket, `${JSON.stringify(one)}\n`);
    await waitFor("the first record", async () => await scene.exists(customer, type, one));
    scene.service.clock.advanceMs(300_000);
    const blank = `${" ".repeat(65_535)}\n`;
    for (let sent = 0; sent < 400; sent += 1) {
      await sendChunk(socket, sent === 0 ? `${JSON.stringify(two)}\n` : blank);
    }
    const { success, code, write_count } = (await endAndRead(socket)).at(-1) ?? {};
    assert.deepEqual([success, code, write_count], [false, 40103, 1]);
    assert.equal(await scene.exists(customer, type, two), false);
  });
});

describe("a stream with too many invalid lines", () => {
  it("is ended with a summary that says so, and keeps what was valid", async () => {
    const record = records.record(type);
    const wrong = "x\n".repeat(limits.streamInvalidLinesMax + 10_000);
    const stream = openStream(client.address, {
      method: "POST",
      path: listPathOf(type),
      token: customer.token,
    });
    await stream.write(Buffer.from(`${JSON.stringify(record)}\n${wrong}`));
    const { success, code, write_count, refused, message } =
      linesOf(await stream.end()).at(-1) ?? {};
    assert.deepEqual([success, code, write_count], [false, 40000, 1]);
    assert.ok(Number(refused) >= limits.streamInvalidLinesMax);
    assert.ok(Number(refused) < limits.streamInvalidLinesMax + 2_000);
    assert.match(
      String(message),
      /more than 10000 of its lines are invalid.*records that are already stored does not change/,
    );
    assert.ok(await scene.exists(customer, type, record));
  });
});

describe("a stream that decompresses to much more than was sent", () => {
  it("is ended with a summary that says so, in a small part of that memory", async () => {
    const bytes = 300 * 1_024 * 1_024;
    const blank = Buffer.concat([Buffer.alloc(limits.streamLineBytesMax - 1, " "), newline]);
    const stream = openStream(client.address, {
      method: "POST",
      path: listPathOf(type),
      token: customer.token,
      headers: { "content-encoding": "gzip" },
    });
    const before = process.memoryUsage().rss;
    let most = before;
    const text = Readable.from(repeat(blank, Math.ceil(bytes / blank.length)));
    await pipeline(text, createGzip({ level: 1 }), async (compressed) => {
      for await (const part of compressed) {
        await stream.write(part as Buffer);
        most = Math.max(most, process.memoryUsage().rss);
      }
    });
    const { success, code, message } = linesOf(await stream.end()).at(-1) ?? {};
    assert.deepEqual([success, code], [false, 41301]);
    assert.match(String(message), /at most 200 times its size/);
    assert.ok(most - before < bytes / 3, `${most - before} bytes more`);
  });

  it("is read to its end where it stays within the bound", async () => {
    const record = JSON.stringify(records.record(type));
    // As well as text of that kind compresses, and better.
    const line = `${record.slice(0, -1)},"additional_properties":[${" ".repeat(20_000)}]}\n`;
    const body = gzipSync(Buffer.from(line.repeat(500)));
    const stream = openStream(client.address, {
      method: "POST",
      path: listPathOf(type),
      token: customer.token,
      headers: { "content-encoding": "gzip" },
    });
    await stream.write(body);
    const { success, received } = linesOf(await stream.end()).at(-1) ?? {};
    assert.deepEqual([success, received], [true, 500]);
  });
});

const newline = Buffer.from("\n");

function* repeat(bytes: Buffer, count: number): Generator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) yield bytes;
}
