// The decoder of a request body fails after its reader has stopped reading: the process continues. The windows of
// compressed bodies: what encoders write is found in their heads, however the bytes arrive, and what a decoder keeps is
// bounded and counts as memory of its organization.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Readable } from "node:stream";
import { after, before, describe, it, mock } from "node:test";
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  type Gunzip,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { readSmallBody } from "../../../src/http/body/read-body.ts";
import { readLargeBody } from "../../../src/http/body/large-body.ts";
import { MemoryBudget } from "../../../src/http/load/memory-budget.ts";
import { decodedBody } from "../../../src/http/body/decoded-body.ts";
import { waitFor } from "../../support/wait-for.ts";
import { limits } from "../../../src/domain/limits.ts";
import { bytesPerFrameMin, makeWindow } from "../../../src/http/body/window.ts";
import { pathOf, type Scene, startScene, typeNamed } from "../../contract/scene.ts";

const mebibyte = 1_024 * 1_024;

/** For the tests of a group. */
function useServer() {
  const server = createServer();
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: () => (server.address() as AddressInfo).port,
    asked: async () => ((await once(server, "request")) as [IncomingMessage])[0],
    send: (encoding: string) => {
      const { port } = server.address() as AddressInfo;
      const headers = { "content-encoding": encoding };
      const sending = request({ port, host: "127.0.0.1", method: "POST", headers });
      return sending.on("error", () => undefined);
    },
  };
}

describe("a decoded body that nobody reads", () => {
  const { asked, send } = useServer();
  const received = async () => decodedBody(await asked());

  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const) {
    it(`may have bytes after the end of its ${encoding}`, async () => {
      const source = received();
      send(encoding).end(Buffer.concat([compress("first"), Buffer.from("trailing bytes")]));
      const decoder = await source;
      await waitFor("the decoder to fail", () => decoder.errored ?? undefined);
    });

    it(`may end inside its ${encoding} when the client disconnects`, async () => {
      const source = received();
      const sending = send(encoding);
      sending.write(compress("a".repeat(1_000)).subarray(0, 8));
      const decoder = await source;
      sending.destroy();
      await waitFor("the decoder to fail", () => decoder.errored ?? undefined);
    });
  }

  it("fails if the client disconnected before", async () => {
    const arriving = asked();
    const sending = send("gzip");
    sending.write(gzipSync("a".repeat(1_000)));
    const incoming = await arriving;
    sending.destroy();
    await waitFor("the request to be closed", () => incoming.closed);
    const decoder = decodedBody(incoming);
    await waitFor("the decoder to fail", () => decoder.errored ?? undefined);
  });

  it("is closed at once when its body is too large", async () => {
    const arriving = asked();
    send("gzip").end(gzipSync(Buffer.alloc(64 * 1_024 * 1_024)));
    const incoming = await arriving;
    const piped = mock.method(incoming, "pipe");
    await assert.rejects(readSmallBody(incoming), /at most 262144 bytes/);
    const [decoder] = piped.mock.calls.map(
      ({ arguments: [target] }) => target as unknown as Readable,
    );
    assert.equal(decoder?.destroyed, true);
  });
});

describe("a large body that is encoded", () => {
  const { asked, send } = useServer();

  it("is copied out of the buffers of its decoder, which are freed at once", async () => {
    const arriving = asked();
    send("gzip").end(gzipSync(Buffer.alloc(mebibyte, "[")));
    const incoming = await arriving;
    const parts: Buffer[] = [];
    const pipe = incoming.pipe.bind(incoming);
    mock.method(incoming, "pipe", (decoder: Gunzip) =>
      pipe(decoder).on("data", (part: Buffer) => parts.push(part)),
    );
    const { signal } = new AbortController();
    const budget = new MemoryBudget();
    const options = { organizationId: "org-acme", budget, signal, onRefused: () => undefined };
    const { bytes, reservation } = await readLargeBody(incoming, options);
    assert.equal(Buffer.from(bytes).toString("latin1"), "[".repeat(mebibyte));
    const freed = parts.filter(({ buffer }) => (buffer as ArrayBuffer).detached);
    assert.ok(freed.length > 10, `${freed.length} of ${parts.length} buffers`);
    reservation.release();
  });
});

describe("a small body", () => {
  const { asked, port } = useServer();

  async function receive(first: string) {
    const socket = connect(port(), "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n${first}`);
    return { incoming: await asked(), socket };
  }

  it("is read to its end if it comes in several packets", async () => {
    const { incoming, socket } = await receive("[1,");
    const read = readSmallBody(incoming);
    socket.write(" 2, 3]");
    assert.equal((await read).toString(), "[1, 2, 3]");
  });

  it("is refused if the client disconnected before it was read", async () => {
    const { incoming, socket } = await receive("[1,");
    socket.destroy();
    await waitFor("the request to be closed", () => incoming.destroyed);
    let failure: unknown;
    readSmallBody(incoming).catch((error: unknown) => (failure = error));
    await waitFor("the reading to fail", () => failure !== undefined);
    assert.match(String(failure), /The body is incomplete/);
  });
});

/** A frame whose head states its window, as of a stream of unknown length. */
async function zstdFrame(content: Uint8Array, windowLog: number): Promise<Buffer> {
  const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.write(content);
  stream.flush(() => stream.end());
  await once(stream, "end");
  return Buffer.concat(parts);
}

function windowOf(encoding: string, body: Buffer, pieceBytes = body.length): number {
  const window = makeWindow(encoding);
  for (let at = 0; at < body.length; at += pieceBytes)
    window.push(body.subarray(at, at + pieceBytes));
  return window.bytes;
}

describe("a small body with many items", () => {
  it("is read by the bulk thread, in turns", async (context) => {
    const scene = await startScene();
    context.after(() => scene.stop());
    const { token } = await scene.makeCustomer();
    let byBulkThread = 0;
    scene.service.replaceStore("writtenElsewhere", () => (byBulkThread += 1));
    const headers = { prefer: "handling=lenient" };
    for (const count of [128, 129, 5_000]) {
      const body = JSON.stringify(Array.from({ length: count }, () => ({})));
      const ask = { method: "POST", path: "/v2/transactions/batch", token, headers, body };
      const { status, text } = await scene.client.send(ask);
      assert.equal(status, 200);
      assert.equal((JSON.parse(text) as { results: unknown[] }).results.length, count);
    }
    assert.equal(byBulkThread, 2);
  });
});

describe("the window of zstd", () => {
  const text = Buffer.from('{"a":1}\n'.repeat(50_000));

  for (const log of [10, 17, 21, 23]) {
    it(`is found in the head of a frame, in any pieces: 2 to the power of ${log}`, async () => {
      const frame = await zstdFrame(text, log);
      for (const pieceBytes of [1, 2, 3, 7, 100, frame.length]) {
        assert.equal(windowOf("zstd", frame, pieceBytes), 2 ** log);
      }
    });
  }

  it("is the largest of several frames, between which others are skipped", async () => {
    const skipped = Buffer.from([0x55, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const [small, large] = [await zstdFrame(text, 12), await zstdFrame(text, 20)];
    const checked = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const body = Buffer.concat([skipped, small, checked, skipped, large, small]);
    for (const pieceBytes of [1, 5, body.length]) {
      assert.equal(windowOf("zstd", body, pieceBytes), 2 ** 20);
    }
  });

  it("is at most what the decoder accepts, whatever a head states", () => {
    // A single segment: the content size, here of eight bytes, is the window.
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert.equal(windowOf("zstd", head), 8 * mebibyte);
  });

  it("has a bound on the number of frames", () => {
    const frame = zstdCompressSync("");
    assert.ok(frame.length < bytesPerFrameMin);
    const body = Buffer.concat(Array.from({ length: 10_000 }, () => frame));
    assert.throws(() => windowOf("zstd", body), { errorName: "too_large" });
    assert.doesNotThrow(() => windowOf("zstd", body.subarray(0, 1_000 * frame.length)));
  });
});

describe("the window of brotli", () => {
  for (let bits = 10; bits <= 24; bits += 1) {
    it(`is found in its first byte: 2 to the power of ${bits}`, () => {
      const params = { [constants.BROTLI_PARAM_LGWIN]: bits, [constants.BROTLI_PARAM_QUALITY]: 1 };
      const found = windowOf("br", brotliCompressSync("x".repeat(100_000), { params }));
      // An encoder may need more than it was asked for.
      assert.ok(found >= 2 ** bits && found <= 2 ** Math.max(bits, 18), `${found}`);
    });
  }
});

describe("a body with a large window", () => {
  let scene: Scene;
  let token: string;
  const type = typeNamed("person");
  before(async () => {
    scene = await startScene();
    ({ token } = await scene.makeCustomer());
  });
  after(() => scene.stop());

  function headers(encoding: string, contentType: string): Record<string, string> {
    return {
      authorization: `Bearer ${token}`,
      "content-type": contentType,
      "content-encoding": encoding,
    };
  }

  it("is refused with 413 in zstd beyond 8 MiB, and with 400 in brotli beyond the standard", async () => {
    const blanks = Buffer.alloc(100_000, " ");
    const params = { [constants.BROTLI_PARAM_LARGE_WINDOW]: 1, [constants.BROTLI_PARAM_LGWIN]: 28 };
    for (const [encoding, body, status] of [
      ["zstd", await zstdFrame(blanks, limits.zstdWindowLogMax + 1), 413],
      ["br", brotliCompressSync(blanks, { params }), 400],
    ] as const) {
      const ask = { method: "POST", path: pathOf(type), body };
      const sent = { ...ask, headers: headers(encoding, "application/json") };
      const reply = await scene.client.send(sent);
      assert.equal(reply.status, status, encoding);
      if (status === 413) assert.match(reply.body.message ?? "", /8388608 bytes/);
      const lines = { ...ask, headers: headers(encoding, "application/x-ndjson") };
      assert.match((await scene.client.send(lines)).text, new RegExp(`"code":${status}01`));
    }
  });

  it("counts as memory of its organization while a stream is open", async () => {
    const heldBytes = async (): Promise<number> => {
      const { text } = await scene.client.send({ method: "GET", path: "/metrics" });
      return Number(/^sluice_held_body_bytes (\d+)$/m.exec(text)?.[1]);
    };
    assert.equal(await heldBytes(), 0);
    const sending = request(`${scene.client.address}${pathOf(type)}`, {
      method: "POST",
      headers: headers("zstd", "application/x-ndjson"),
    });
    sending.on("error", () => undefined);
    const stream = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 23 } });
    stream.pipe(sending);
    stream.write("\n".repeat(1_000));
    stream.flush();
    await waitFor("the window to count", async () => (await heldBytes()) === 8 * mebibyte);
    stream.end();
    await once(sending, "response");
    await waitFor("its end", async () => (await heldBytes()) === 0);
    sending.destroy();
  });
});
