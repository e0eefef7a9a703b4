// The windows of compressed bodies: what encoders write is found in their heads, however the bytes arrive, and what a
// decoder keeps is bounded and counts as memory of its organization.

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { limits } from "../../../src/domain/limits.ts";
import { bytesPerFrameMin, makeWindow } from "../../../src/http/body/window.ts";
import { pathOf, type Scene, startScene, typeNamed } from "../../contract/scene.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1_024 * 1_024;

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
    await waitFor(
      "the window to count",
      async () => (await heldBytes()) === 8 * mebibyte || undefined,
    );
    stream.end();
    await once(sending, "response");
    await waitFor("its end", async () => (await heldBytes()) === 0 || undefined);
    sending.destroy();
  });
});
