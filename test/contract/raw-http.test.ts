// Malformed requests over a raw socket: each is answered with an error of the API, or not at all,
// and never affects later requests.

import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { exchangeRaw, openRaw } from "../support/raw-socket.ts";
import { parseReply } from "../support/raw-replies.ts";
import { waitFor } from "../support/wait-for.ts";
import { startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const { token } = await scene.makeCustomer();
const authorization = `authorization: Bearer ${token}`;
after(() => scene.stop());

function assertRefused(text: string, status: number, code: number): void {
  const reply = parseReply(text);
  assert.deepEqual([reply.status, reply.body.code], [status, code], text);
  assert.ok(typeof reply.body.message === "string");
  assert.match(reply.headers["content-type"] ?? "", /^application\/json/);
  assert.ok(reply.headers["x-request-id"] !== undefined, "there is no X-Request-Id");
  assert.equal(reply.headers.connection, "close");
  assert.match(reply.headers["date"] ?? "", / GMT$/);
  assert.ok(text.startsWith(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`), text);
}

const host = "host: localhost";

// More of these are in after-rejection.test.ts.
describe("bytes that are not HTTP are answered with 400, and the connection is closed", () => {
  for (const [what, text] of [
    ["an unknown method", `BREW /v2/transaction HTTP/1.1\r\n${host}\r\n\r\n`],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"],
    ["a header without a colon", `GET / HTTP/1.1\r\n${host}\r\nbroken\r\n\r\n`],
    ["a header with a NUL", `GET / HTTP/1.1\r\n${host}\r\na: b\u0000c\r\n\r\n`],
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\n${host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a negative length", `POST / HTTP/1.1\r\n${host}\r\ncontent-length: -1\r\n\r\n`],
    ["HTTP/0.9", "GET /v2/transaction\r\n\r\n"],
    ...["xchunked", "chunked, identity", "identity", "chunked, chunked"].map(
      (coding) =>
        [
          `the Transfer-Encoding ${coding}`,
          `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\n` +
            `content-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
        ] as const,
    ),
  ] as const) {
    it(what, async () => {
      assertRefused(await exchangeRaw(client.address, Buffer.from(text, "latin1")), 400, 40003);
    });
  }

  for (const target of [
    "GET /",
    "GET /nothing",
    "PATCH /v2/person",
    "GET /health/live",
    "GET /docs",
  ]) {
    it(`a request without a Host, as ${target}`, async () => {
      const text = `${target} HTTP/1.1\r\n${authorization}\r\n\r\n`;
      assertRefused(await exchangeRaw(client.address, text), 400, 40003);
    });
  }

  it("malformed chunks", async () => {
    const head = `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\n`;
    const body = "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n";
    assertRefused(await exchangeRaw(client.address, head + body), 400, 40003);
  });
});

describe("headers", () => {
  for (const framing of ["content-length: 5", "transfer-encoding: chunked"]) {
    it(`of which there are too many are answered with 431, with ${framing} behind them`, async () => {
      const many = "a:\r\n".repeat(1_100);
      const text = `POST /v2/person HTTP/1.1\r\n${host}\r\n${many}${framing}\r\n\r\nhello`;
      assertRefused(await exchangeRaw(client.address, text), 431, 43101);
    });
  }

  it("are accepted up to their number", async () => {
    const others = "a:\r\n".repeat(limits.headersMax - 2);
    const text = await exchangeRaw(
      client.address,
      `GET /health/live HTTP/1.1\r\n${host}\r\n${others}connection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 200 /);
    const more = `GET /health/live HTTP/1.1\r\n${host}\r\n${others}a:\r\na:\r\n\r\n`;
    assertRefused(await exchangeRaw(client.address, more), 431, 43101);
  });

  it("of more than 16 KiB are answered with 431", async () => {
    const long = "x".repeat(17 * 1_024);
    for (const text of [
      `GET /v2/transaction HTTP/1.1\r\n${host}\r\nlong: ${long}\r\n\r\n`,
      `GET /v2/transaction?tx_id=${long} HTTP/1.1\r\n${host}\r\n\r\n`,
    ]) {
      assertRefused(await exchangeRaw(client.address, text), 431, 43101);
    }
  });

  it("that request an upgrade or expect something unknown are ignored", async () => {
    for (const line of [
      "connection: upgrade, close\r\nupgrade: websocket",
      "connection: close\r\nexpect: miracles",
    ]) {
      const text = `GET /v2/transaction?tx_id=1 HTTP/1.1\r\n${host}\r\n${authorization}\r\n${line}\r\n\r\n`;
      assert.equal(parseReply(await exchangeRaw(client.address, text)).status, 404, line);
    }
  });
});

function check(id: string, more: string): string {
  return `GET /v2/transaction HTTP/1.1\r\n${host}\r\nx-request-id: ${id}\r\n${authorization}\r\n${more}\r\n`;
}

describe("rare but valid forms of requests", () => {
  it("HTTP/1.0 without a Host", async () => {
    const text = `GET /v2/transaction?tx_id=1 HTTP/1.0\r\n${authorization}\r\n\r\n`;
    assert.equal(parseReply(await exchangeRaw(client.address, text)).status, 404);
  });

  it("a target with scheme and host", async () => {
    const target = `${client.address}/v2/transaction?tx_id=1`;
    const text = `GET ${target} HTTP/1.1\r\n${host}\r\n${authorization}\r\nconnection: close\r\n\r\n`;
    assert.equal(parseReply(await exchangeRaw(client.address, text)).status, 404);
  });

  it("a Host of any form", async () => {
    for (const name of ["", "a.example:8080", "[::1]", "[::1]:80", "127.0.0.1:", "a_b.example"]) {
      const text = `GET /v2/transaction?tx_id=1 HTTP/1.1\r\nhost: ${name}\r\n${authorization}\r\nconnection: close\r\n\r\n`;
      assert.equal(parseReply(await exchangeRaw(client.address, text)).status, 404, name);
    }
  });

  it("the transfer coding in capitals", async () => {
    const text =
      `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\ncontent-type: application/json\r\n` +
      "connection: close\r\ntransfer-encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    assert.equal(parseReply(await exchangeRaw(client.address, text)).body.code, 40000);
  });

  it("a client that half-closes after its request gets its reply", async () => {
    for (const version of ["1.0", "1.1"]) {
      const { socket, closed } = openRaw(client.address);
      socket.end(
        `GET /v2/transaction?tx_id=1 HTTP/${version}\r\n${host}\r\n${authorization}\r\n\r\n`,
      );
      assert.equal(parseReply(await closed).status, 404, version);
    }
  });

  it("two requests sent at once are answered in order", async () => {
    const text = await exchangeRaw(
      client.address,
      check("first", "") + check("second", "connection: close\r\n"),
    );
    const ids = [...text.matchAll(/x-request-id: (\w+)/gi)].map(([, id]) => id);
    assert.deepEqual(ids, ["first", "second"]);
  });

  it("a body that waits for 100-continue", async () => {
    const body = "{}";
    const { socket, received, closed } = openRaw(client.address);
    socket.write(
      `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\ncontent-type: application/json\r\n` +
        `expect: 100-continue\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await waitFor("100 Continue", () => received().startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    socket.write(body);
    const text = (await closed).replace("HTTP/1.1 100 Continue\r\n\r\n", "");
    assert.equal(parseReply(text).body.code, 40000);
  });

  it("a stream that waits for 100-continue, and a further request after a body that did", async () => {
    const body = `${JSON.stringify(scene.records.record(typeNamed("person")))}\n`;
    for (const type of ["application/x-ndjson", "application/json"]) {
      const { socket, received, closed } = openRaw(client.address);
      socket.write(
        `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\ncontent-type: ${type}\r\n` +
          `expect: 100-continue\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      );
      await waitFor("100 Continue", () => received().startsWith("HTTP/1.1 100 "));
      socket.write(body);
      await waitFor("the reply", () => received().includes("}"));
      socket.write(check("next", "connection: close\r\n"));
      const statuses = [...(await closed).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
        ([, status]) => status,
      );
      assert.deepEqual(statuses, ["100", type === "application/json" ? "409" : "201", "400"]);
    }
  });
});

describe("malformed bytes after a valid request", () => {
  for (const [what, rest] of [
    ["nonsense", "GARBAGE\r\n\r\n"],
    [
      "two lengths",
      `POST / HTTP/1.1\r\n${host}\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`,
    ],
  ] as const) {
    it(`are refused once that has been answered: ${what}`, async () => {
      const body = JSON.stringify(scene.records.record(typeNamed("transaction")));
      const head = `POST /v2/transaction HTTP/1.1\r\n${host}\r\n${authorization}\r\n`;
      const length = Buffer.byteLength(body);
      const first = `${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
      const text = await exchangeRaw(client.address, Buffer.from(first + rest));
      const second = text.lastIndexOf("HTTP/1.1 ");
      assert.equal(parseReply(text.slice(0, second)).status, 201);
      assertRefused(text.slice(second), 400, 40003);
    });
  }
});

describe("a body that will not be read", () => {
  for (const [what, line, status] of [
    ["without a credential", "authorization: Bearer wrong", 401],
    ["of another type", `${authorization}\r\ncontent-type: text/plain`, 415],
    ["that is too large", `${authorization}\r\ncontent-type: application/json`, 413],
  ] as const) {
    it(`is answered before it arrives: ${what}`, async () => {
      const { socket, closed } = openRaw(client.address);
      const length = limits.bodyBytesMax + 1;
      socket.write(
        `POST /v2/person HTTP/1.1\r\n${host}\r\n${line}\r\ncontent-length: ${length}\r\n\r\n{`,
      );
      const reply = parseReply(await closed);
      assert.equal(reply.status, status);
      assert.equal(reply.headers.connection, "close");
    });
  }
});

describe("a body that waits for 100-continue", () => {
  for (const [what, line, status] of [
    ["without a credential", "content-length: 2", 401],
    [
      "in an unknown encoding",
      `content-length: 2\r\n${authorization}\r\ncontent-type: application/json\r\ncontent-encoding: x`,
      415,
    ],
    ["of another type", `content-length: 2\r\n${authorization}\r\ncontent-type: text/plain`, 415],
    [
      "that is too large",
      `content-length: 16777217\r\n${authorization}\r\ncontent-type: application/json`,
      413,
    ],
  ] as const) {
    it(`is not requested where its head is enough to refuse it: ${what}`, async () => {
      const head = `POST /v2/person HTTP/1.1\r\n${host}\r\nexpect: 100-continue\r\n${line}\r\n\r\n`;
      const reply = parseReply(await exchangeRaw(client.address, head));
      assert.deepEqual([reply.status, reply.headers.connection], [status, "close"]);
    });
  }
});

describe("an aborted connection", () => {
  const head = `POST /v2/person HTTP/1.1\r\n${host}\r\n${authorization}\r\n`;

  it("in the middle of a body stores nothing, and the service continues", async () => {
    for (const encoding of ["identity", "gzip"]) {
      const { socket, closed } = openRaw(client.address);
      const text = `content-type: application/json\r\ncontent-encoding: ${encoding}\r\ncontent-length: 100\r\n\r\n{"a`;
      await new Promise<void>((resolve) => socket.write(head + text, () => resolve()));
      socket.destroy();
      await closed;
    }
    const reply = await client.send({ method: "GET", path: "/v2/transaction", token });
    assert.equal(reply.status, 400);
  });

  it("or an error in the middle of a stream inserts no second reply into the first", async () => {
    const { socket, received, closed } = openRaw(client.address);
    const chunk = "{}\n";
    socket.write(`${head}content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n`);
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    await waitFor("the first refused line", () => received().includes('"line":1'));
    socket.write("this is no chunk\r\n");
    const text = await closed;
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1, text);
    assert.ok(text.startsWith("HTTP/1.1 201"));
  });
});
