// What follows the last reply of a connection is never executed, whatever made that reply the last:
// in the same packet, in the next one, or while the connection is being closed.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { Reply } from "../support/http-client.ts";
import { openRaw } from "../support/raw-socket.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { check, fromNewAddress, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client } = scene;
const customer = await scene.makeCustomer();
const type = typeNamed("risk_assessment");
after(() => scene.stop());

const authorization = `authorization: Bearer ${customer.token}\r\n`;
const host = "host: x\r\n";
const json = "content-type: application/json\r\n";
const ask = `GET /v2/person?person_id=1 HTTP/1.1\r\n`;
const send = `POST /v2/person HTTP/1.1\r\n`;

/** Each gets the given reply, and its reply is the last of the connection. */
const lastRequests: Readonly<Record<string, readonly [request: string, status: number]>> = {
  "two Hosts": [`${ask}${host}Host: y\r\n${authorization}\r\n`, 400],
  "two Hosts, of a path without a credential": [`GET /docs HTTP/1.1\r\n${host}${host}\r\n`, 400],
  "two Hosts, of an unknown path": [`GET /nothing HTTP/1.1\r\n${host}${host}\r\n`, 400],
  "no Host": [`${ask}${authorization}\r\n`, 400],
  "an invalid Host": [`${ask}host: a b@c/d\r\n${authorization}\r\n`, 400],
  "two credentials": [`${ask}${host}${authorization}Authorization: Bearer x\r\n\r\n`, 400],
  "a body with a coding besides its chunks": [
    `${send}${host}${authorization}${json}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  "chunks in HTTP/1.0": [
    `POST /v2/person HTTP/1.0\r\n${authorization}${json}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  "another version of HTTP": [`GET /v2/person HTTP/2.0\r\n${host}${authorization}\r\n`, 400],
  "a path that can't be decoded": [`GET /v2/%zz HTTP/1.1\r\n${host}${authorization}\r\n`, 400],
  "bytes that are not HTTP": ["GARBAGE\r\n\r\n", 400],
  "a malformed header": [`${ask}${host}a b: c\r\n\r\n`, 400],
  "headers that are too large": [`${ask}${host}long: ${"x".repeat(17_000)}\r\n\r\n`, 431],
  "two lengths": [`${send}${host}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
  CONNECT: [`CONNECT x:1 HTTP/1.1\r\n${host}\r\n`, 400],
  "an upgrade": [
    `${ask}${host}${authorization}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
    404,
  ],
  "a body that waits for 100-continue and is refused": [
    `${send}${host}${authorization}content-type: text/plain\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`,
    415,
  ],
  "a close that the client asks for": [
    `${ask}${host}${authorization}connection: close\r\n\r\n`,
    404,
  ],
  "HTTP/1.0": [`GET /v2/person?person_id=1 HTTP/1.0\r\n${authorization}\r\n`, 404],
  "a chunked body that is refused unread": [
    `${send}${host}${json}transfer-encoding: chunked\r\n\r\n2\r\n`,
    401,
  ],
  "a body that is too large": [
    `${send}${host}${authorization}${json}content-length: ${limits.bodyBytesMax + 1}\r\n\r\n`,
    413,
  ],
};

let count = 0;

/** A request that adds a record, and a way to find out whether it did. */
function addition(): { id: string; bytes: string; isStored: () => Promise<boolean> } {
  count += 1;
  const id = `after-${count}`;
  const body = JSON.stringify(scene.records.record(type, { [type.idField]: id }));
  const head =
    `POST ${pathOf(type)} HTTP/1.1\r\n${host}${authorization}${json}` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const isStored = async () => (await check(scene, customer, { type, id })).status === 200;
  return { id, bytes: head + body, isStored };
}

/** Failed authentications of many attempts must not add up. */
function fromElsewhere(request: string): string {
  const address = fromNewAddress()["x-forwarded-for"];
  return request.replace("\r\n", `\r\nx-forwarded-for: ${address}\r\n`);
}

function assertMalformed({ body, headers }: Reply): void {
  assert.equal(body.code, 40003);
  assert.equal(typeof body.message, "string");
  assert.match(headers["content-type"] ?? "", /^application\/json/);
  assert.ok(headers["x-request-id"] !== undefined);
}

describe("a request after the last one of a connection is not executed", () => {
  for (const [what, [request, status]] of Object.entries(lastRequests)) {
    for (const [how, isApart] of [
      ["in the same packet", false],
      ["in a separate packet", true],
    ] as const) {
      it(`${how}: ${what}`, async () => {
        const { socket, closed, ...got } = openRaw(client.address);
        const { bytes, isStored } = addition();
        const first = request.startsWith("GARBAGE") ? request : fromElsewhere(request);
        socket.write(isApart ? first : first + bytes, "latin1");
        if (isApart) {
          const isAnswered = () => got.received().includes("\r\n\r\n") || socket.destroyed;
          await waitFor("the reply", isAnswered);
          socket.write(bytes, "latin1");
        }
        await closed;
        const replies = got.replies();
        assert.deepEqual([replies.length, replies[0]?.status], [1, status], got.received());
        assert.equal(replies[0]?.headers.connection, "close");
        if (status === 400 && replies[0] !== undefined) assertMalformed(replies[0]);
        assert.equal(await isStored(), false);
      });
    }
  }

  it("while the service shuts down", async () => {
    const folder = makeTempFolder();
    const stopping = await startScene({ folder });
    const other = await stopping.makeCustomer();
    const held = stopping.service.holdStore("findRecord");
    const { socket, closed, ...got } = openRaw(stopping.client.address);
    const [second, third] = [addition(), addition()];
    const bytes = `${ask}${host}${authorization}\r\n${second.bytes}${third.bytes}`;
    socket.write(bytes.replaceAll(customer.token, other.token));
    await held.called;
    const stopped = stopping.stop();
    held.release();
    const text = await closed;
    await stopped;
    const replies = got.replies();
    const last = replies.at(-1);
    assert.equal(last?.headers.connection, "close");
    const again = await startScene({ folder });
    const stored = [second, third].map(({ id }) => check(again, other, { type, id }));
    const statuses = (await Promise.all(stored)).map(({ status }) => status);
    // Whether the second began before the stop or after, it gets its reply, and the third gets
    // none.
    assert.deepEqual(statuses, [replies[1]?.status === 201 ? 200 : 404, 404]);
    assert.ok(replies.length <= 2, text);
    await again.stop();
    removeFolder(folder);
  });
});
