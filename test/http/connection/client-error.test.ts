// Bytes that Node can't parse as a request still get a reply.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { exchangeRaw, openRaw } from "../../support/raw-socket.ts";
import { type Server, startServer } from "../../support/server.ts";

describe("a request that can't be parsed", async () => {
  const server = await startServer();
  after(() => server.stop());

  it("is answered without a body if it is a HEAD", async () => {
    const message = `HEAD /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`;
    assert.match(await exchangeRaw(server.address, message), /^HTTP\/1.1 431 [^{]*\r\n\r\n$/);
  });

  const long = "a".repeat(20_000);
  for (const [what, first, second, reply] of [
    [
      "a method in an earlier packet",
      "HEAD /v2/a",
      " HTTP/9.9\r\nHost: x\r\n\r\n",
      /^HTTP\/1.1 400 [^{]*\r\n\r\n$/,
    ],
    [
      "a head that gets too large later",
      "HEAD /a",
      `${long} HTTP/1.1\r\n\r\n`,
      /^HTTP\/1.1 431 [^{]*\r\n\r\n$/,
    ],
    [
      "a method in two packets",
      "\r\nHE",
      `AD /${long} HTTP/1.1\r\n\r\n`,
      /^HTTP\/1.1 431 [^{]*\r\n\r\n$/,
    ],
    [
      "a HEAD in the packet of a request",
      "GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\nHEAD /a",
      `${long} HTTP/1.1\r\n\r\n`,
      /^HTTP\/1.1 [34].*HTTP\/1.1 431 [^{]*\r\n\r\n$/s,
    ],
  ] as const) {
    it(`is answered without a body if it is a HEAD: ${what}`, async () => {
      const text = await inPackets(server, first, second);
      assert.match(text, reply);
      assert.match(text, /\r\nconnection: close\r\n/);
    });
  }

  for (const [what, message] of [
    ["an H", "HOST /v2/person HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["HEA", "HEAR /v2/person HTTP/1.1\r\nHost: x\r\n\r\n"],
  ] as const) {
    it(`is answered with a body if its method only begins with ${what}`, async () => {
      assert.match(await exchangeRaw(server.address, message), /HTTP\/1.1 400 .*"code":40003,/s);
      const [first, second] = [message.slice(0, 1), message.slice(1)];
      assert.match(await inPackets(server, first, second), /HTTP\/1.1 400 .*"code":40003,/s);
    });
  }

  for (const [what, first, second] of [
    ["of a head that gets too large later", "GET /a", `${long} HTTP/1.1\r\n\r\n`],
    [
      "after a HEAD that came in packets",
      "HEAD /v2/a",
      ` HTTP/1.1\r\nHost: x\r\n\r\nGET /${long} HTTP/1.1\r\n\r\n`,
    ],
  ] as const) {
    it(`is answered with a body if it is a GET: ${what}`, async () => {
      assert.match(await inPackets(server, first, second), /HTTP\/1.1 431 .*"code":43101,/s);
    });
  }

  it("is answered with a body if it follows a HEAD in its packet", async () => {
    const first = "HEAD /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n";
    const second = "POST /v2/person HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n";
    const text = await exchangeRaw(server.address, first + second);
    assert.match(text, /"code":40003,/);
    const both = await exchangeRaw(server.address, `${first}HEAD / HTTP/9.9\r\n\r\n`);
    assert.match(both, /HTTP\/1.1 400 [^{]*\r\n\r\n$/);
  });
});

async function inPackets({ address }: Server, first: string, second: string): Promise<string> {
  const { socket, closed } = openRaw(address);
  socket.setNoDelay().write(first);
  // If the packets arrive as one, the method is in it, and the result is the same.
  await sleep(100);
  socket.write(second);
  return closed;
}
