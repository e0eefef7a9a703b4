// Bodies with a Content-Encoding: what is accepted, bounded by the decoded size, and what is
// refused.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { limits } from "../../src/domain/limits.ts";
import { operations } from "../../src/process/operations.ts";
import type { Reply } from "../support/http-client.ts";
import { goodRequest, oneOfEachVerb } from "./good-request.ts";
import { pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const customer = await scene.makeCustomer();
const type = typeNamed("risk_assessment");
after(() => scene.stop());

const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

const encoders = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes, quick),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
  identity: (bytes: Buffer) => bytes,
} as const;

function post(body: Uint8Array, encoding: string): Promise<Reply> {
  const headers = { "content-encoding": encoding };
  return scene.ask(customer, { method: "POST", path: pathOf(type), headers, body });
}

function list(count: number): Buffer {
  return Buffer.from(
    JSON.stringify(Array.from({ length: count }, () => scene.records.record(type))),
  );
}

for (const [encoding, encode] of Object.entries(encoders)) {
  describe(`the content encoding ${encoding}`, () => {
    it("is accepted at operations of every verb with a body", async () => {
      for (const operation of oneOfEachVerb(operations).filter(({ body }) => body !== "none")) {
        const ask = await goodRequest(scene, customer, operation);
        const headers = { ...ask.headers, "content-encoding": encoding };
        const body = encode(Buffer.from(JSON.stringify(ask.body)));
        const reply = await client.send({ ...ask, headers, body });
        assert.equal(reply.status, operation.success, `${operation.name}: ${reply.text}`);
      }
    });

    it("is accepted whatever its case", async () => {
      assert.equal((await post(encode(list(1)), ` ${encoding.toUpperCase()} `)).status, 201);
    });

    it("can hold 16 MiB and not a byte more", async () => {
      const most = Buffer.concat([list(1), Buffer.alloc(limits.bodyBytesMax, " ")]);
      const exact = encode(most.subarray(0, limits.bodyBytesMax));
      assert.equal((await post(exact, encoding)).status, 201);
      const more = await post(encode(most.subarray(0, limits.bodyBytesMax + 1)), encoding);
      assert.deepEqual([more.status, more.body.code], [413, 41301]);
    });

    if (encoding === "identity") return;

    it("is refused when a small body would become a huge one", async () => {
      const bomb = encode(Buffer.alloc(2 * limits.bodyBytesMax, " "));
      assert.ok(bomb.length < limits.bodyBytesMax / 64);
      const reply = await post(bomb, encoding);
      assert.deepEqual([reply.status, reply.body.code], [413, 41301]);
    });

    it("is refused when the body is not in it, is truncated or is empty", async () => {
      const whole = encode(list(50));
      for (const body of [
        list(1),
        whole.subarray(0, whole.length - 8),
        whole.subarray(4),
        Buffer.alloc(0),
      ]) {
        const reply = await post(body, encoding);
        assert.deepEqual([reply.status, reply.body.code], [400, 40001], reply.text);
      }
    });

    it("is refused with anything after its end, so that no data is silently ignored", async () => {
      for (const rest of ["x", JSON.stringify({})]) {
        const reply = await post(Buffer.concat([encode(list(1)), Buffer.from(rest)]), encoding);
        assert.deepEqual([reply.status, reply.body.code], [400, 40001], reply.text);
      }
      const twice = await post(Buffer.concat([encode(list(1)), encode(list(1))]), encoding);
      assert.deepEqual([twice.status, twice.body.code], [400, 40001], twice.text);
    });
  });
}

describe("the content encoding x-gzip", () => {
  it("is another name for gzip", async () => {
    assert.equal((await post(gzipSync(list(1)), "x-gzip")).status, 201);
  });
});

describe("any other content encoding", () => {
  for (const encoding of [
    "deflate",
    "compress",
    "gzip, br",
    "gzip,gzip",
    "utf-8",
    "constructor",
    "*",
  ]) {
    it(`is refused: ${encoding}`, async () => {
      const reply = await post(deflateSync(list(1)), encoding);
      assert.deepEqual([reply.status, reply.body.code], [415, 41501]);
      assert.match(reply.body.message ?? "", /gzip, br, zstd/);
    });
  }
});
