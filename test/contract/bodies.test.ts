// Bodies that can't be read, at operations of every verb that accepts one: broken JSON, other content types, no body at
// all. Bodies with a Content-Encoding: what is accepted, bounded by the decoded size, and what is refused.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { showRecord } from "../../src/actions/record/show-record.ts";
import { limits } from "../../src/domain/limits.ts";
import { operations } from "../../src/process/operations.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { goodRequest, oneOfEachVerb } from "./good-request.ts";
import { assertCode, idOf, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const customer = await scene.makeCustomer();
after(() => scene.stop());

const takesBody = oneOfEachVerb(operations).filter(({ body }) => body !== "none");
const good = new Map<string, Ask>();
for (const operation of takesBody) {
  good.set(operation.name, await goodRequest(scene, customer, operation));
}

/** The replies of every operation when its good request is changed in this way. */
async function answers(
  change: (ask: Ask) => Partial<Ask>,
): Promise<readonly (readonly [string, Reply])[]> {
  const replies: (readonly [string, Reply])[] = [];
  // Time for another 60 tokens.
  scene.service.clock.advanceMs(60_000);
  for (const [name, ask] of good) {
    const { headers, ...rest } = change(ask);
    const sent = { ...ask, ...rest, headers: { ...ask.headers, ...headers } };
    replies.push([name, await client.send(sent)]);
  }
  return replies;
}

async function assertAll(
  change: (ask: Ask) => Partial<Ask>,
  status: number,
  code: number,
): Promise<void> {
  for (const [name, reply] of await answers(change)) {
    assert.deepEqual([reply.status, reply.body.code], [status, code], `${name}: ${reply.text}`);
  }
}

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

// What is JSON is tried in test/http/body, and what a value may be in test/domain/validation.
describe("a body that is not JSON is refused by operations of every verb", () => {
  for (const [what, body] of [
    ["white space", " \r\n\t"],
    ["half an object", '{"a":'],
    ["Latin-1", Buffer.from('{"a":"\u00fc"}', "latin1")],
  ] as const) {
    it(what, () => assertAll(() => ({ body }), 400, 40001));
  }
});

describe("a body of the wrong shape is refused by operations of every verb", () => {
  for (const [what, body] of [
    ["null", "null"],
    ["text", '"text"'],
    ["a list of lists", "[[]]"],
    ["half a surrogate pair in an unknown field", '{"\\ud83d":"\\ud83d"}'],
    ["names that are special in JavaScript", '{"__proto__":{"a":1},"constructor":1}'],
    ["a number with too many digits", '{"amount":12345678901234567890}'],
  ] as const) {
    it(what, () => assertAll(() => ({ body }), 400, 40000));
  }

  it("and does not pollute prototypes", () => {
    assert.equal(({} as Record<string, unknown>)["a"], undefined);
  });
});

describe("a repeated member name", () => {
  const type = typeNamed("risk_assessment");

  it("has its last value, in evaluation and in storage", async () => {
    const record = scene.records.record(type, { outcome: "LOW" });
    const repeat = (outcome: unknown) =>
      `${JSON.stringify(record).slice(0, -1)},"outcome":${JSON.stringify(outcome)}}`;
    const post = { method: "POST", path: pathOf(type) } as const;
    const refused = await scene.ask(customer, { ...post, body: repeat(5) });
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, "outcome"]);
    const reply = await scene.ask(customer, { ...post, body: repeat("HIGH") });
    assert.equal(reply.status, 201, reply.text);
    const { state } = await showRecord(scene.service.app, {
      organizationId: customer.organizationId,
      resourceType: type.resourceType,
      resourceId: idOf(type, record),
    });
    assert.equal(state["outcome"], "HIGH");
  });
});

describe("a body nested too deep for its size is refused by operations of every verb", () => {
  it("in 100,000 levels", () => assertAll(() => ({ body: nested(100_000) }), 400, 40000));
});

describe("the content type", () => {
  for (const type of [
    undefined,
    "",
    "json",
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-16",
    "application/jsonp",
    "application/json+ld",
    "application/*",
  ]) {
    it(`is refused by operations of every verb when it is ${type ?? "missing"}`, () => {
      return assertAll(() => ({ headers: { "content-type": type } }), 415, 41501);
    });
  }

  it("may name UTF-8, in any case and quoted, and other parameters", async () => {
    const type = typeNamed("risk_assessment");
    for (const contentType of [
      "application/json",
      "Application/JSON; Charset=UTF-8",
      'application/json;charset="utf-8"',
      "application/json; profile=x; charset=utf8",
    ]) {
      const reply = await scene.ask(customer, {
        method: "POST",
        path: pathOf(type),
        headers: { "content-type": contentType },
        body: scene.records.record(type),
      });
      assert.equal(reply.status, 201, contentType);
    }
  });

  it("of a stream is refused where no list is accepted", async () => {
    const headers = { "content-type": "application/x-ndjson" };
    for (const { name } of takesBody.filter(({ body }) => body === "one")) {
      const reply = await client.send({
        ...(good.get(name) as Ask),
        headers: { ...good.get(name)?.headers, ...headers },
      });
      assertCode(reply, 41501, name);
      assert.doesNotMatch(reply.body.message ?? "", /ndjson/);
    }
  });
});

describe("a request without a body", () => {
  it("is refused by operations of every verb that require one", async () => {
    const headers = { "content-type": "application/json", "content-length": "0" };
    await assertAll(() => ({ body: undefined, headers }), 400, 40001);
    for (const [name, reply] of await answers(() => ({ body: undefined }))) {
      // The body of a DELETE is more likely lost than its type forgotten.
      const expected = good.get(name)?.method === "DELETE" ? [400, 40001] : [415, 41501];
      assert.deepEqual([reply.status, reply.body.code], expected, `${name}: ${reply.text}`);
    }
  });
});

describe("a body where none is expected", () => {
  const noBody = oneOfEachVerb(operations).filter(({ body }) => body === "none");

  it("is refused with 400, and the connection ends", async () => {
    for (const operation of noBody) {
      const ask = await goodRequest(scene, customer, operation);
      for (const headers of [{}, { "content-length": undefined, "transfer-encoding": "chunked" }]) {
        const all = { ...ask.headers, ...headers };
        const reply = await client.send({ ...ask, headers: all, body: "{ not json" });
        assertCode(reply, 40003, operation.name);
        assert.match(reply.body.message ?? "", /must not have a body/);
        assert.equal(reply.headers.connection, "close");
      }
    }
  });

  it("is fine if it is empty", async () => {
    for (const operation of noBody) {
      const ask = await goodRequest(scene, customer, operation);
      const reply = await client.send({
        ...ask,
        headers: { ...ask.headers, "content-length": "0" },
      });
      assert.equal(reply.status, 200, operation.name);
    }
  });
});

describe("the size of a body", () => {
  const type = typeNamed("risk_assessment");

  /** Sent without its length, so that it has to be read to be measured. */
  function send(body: Uint8Array | string, headers: Ask["headers"] = {}): Promise<Reply> {
    const chunked = { "content-length": undefined, "transfer-encoding": "chunked", ...headers };
    return scene.ask(customer, { method: "POST", path: pathOf(type), headers: chunked, body });
  }

  it("is answered even if the client continues to send", async () => {
    const body = Buffer.alloc(4 * limits.bodyBytesMax, " ");
    for (const headers of [
      {},
      { "content-length": String(body.length), "transfer-encoding": undefined },
    ]) {
      const reply = await send(body, headers);
      assertCode(reply, 41301);
    }
  });
});

const type = typeNamed("risk_assessment");

const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

const encoders = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes, quick),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
  identity: (bytes: Buffer) => bytes,
} as const;

function postEncoded(body: Uint8Array, encoding: string): Promise<Reply> {
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
      assert.equal((await postEncoded(encode(list(1)), ` ${encoding.toUpperCase()} `)).status, 201);
    });

    it("can hold 16 MiB and not a byte more", async () => {
      const most = Buffer.concat([list(1), Buffer.alloc(limits.bodyBytesMax, " ")]);
      const exact = encode(most.subarray(0, limits.bodyBytesMax));
      assert.equal((await postEncoded(exact, encoding)).status, 201);
      const more = await postEncoded(encode(most.subarray(0, limits.bodyBytesMax + 1)), encoding);
      assertCode(more, 41301);
    });

    if (encoding === "identity") return;

    it("is refused when a small body would become a huge one", async () => {
      const bomb = encode(Buffer.alloc(2 * limits.bodyBytesMax, " "));
      assert.ok(bomb.length < limits.bodyBytesMax / 64);
      const reply = await postEncoded(bomb, encoding);
      assertCode(reply, 41301);
    });

    it("is refused when the body is not in it, is truncated or is empty", async () => {
      const whole = encode(list(50));
      for (const body of [
        list(1),
        whole.subarray(0, whole.length - 8),
        whole.subarray(4),
        Buffer.alloc(0),
      ]) {
        const reply = await postEncoded(body, encoding);
        assertCode(reply, 40001);
      }
    });

    it("is refused with anything after its end, so that no data is silently ignored", async () => {
      for (const rest of ["x", JSON.stringify({})]) {
        const reply = await postEncoded(
          Buffer.concat([encode(list(1)), Buffer.from(rest)]),
          encoding,
        );
        assertCode(reply, 40001);
      }
      const twice = await postEncoded(Buffer.concat([encode(list(1)), encode(list(1))]), encoding);
      assertCode(twice, 40001);
    });
  });
}

describe("the content encoding x-gzip", () => {
  it("is another name for gzip", async () => {
    assert.equal((await postEncoded(gzipSync(list(1)), "x-gzip")).status, 201);
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
      const reply = await postEncoded(deflateSync(list(1)), encoding);
      assertCode(reply, 41501);
      assert.match(reply.body.message ?? "", /gzip, br, zstd/);
    });
  }
});
