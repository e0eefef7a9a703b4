// The decoder of a request body fails after its reader has stopped reading: the process continues.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Readable } from "node:stream";
import { after, before, describe, it, mock } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { decodedBody, readSmallBody } from "../../../src/http/body/read-body.ts";
import { waitFor } from "../../support/wait-for.ts";

/** For the tests of a group. */
function useServer(): Server {
  const server = createServer();
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

describe("a decoded body that nobody reads", () => {
  const server = useServer();

  function send(encoding: string) {
    const { port } = server.address() as AddressInfo;
    const headers = { "content-encoding": encoding };
    const sending = request({ port, host: "127.0.0.1", method: "POST", headers });
    sending.on("error", () => undefined);
    return sending;
  }

  async function received(): Promise<Readable> {
    const [incoming] = (await once(server, "request")) as Parameters<typeof decodedBody>;
    return decodedBody(incoming);
  }

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

  it("is closed at once when its body is too large", async () => {
    const asked = once(server, "request") as Promise<Parameters<typeof readSmallBody>>;
    send("gzip").end(gzipSync(Buffer.alloc(64 * 1_024 * 1_024)));
    const [incoming] = await asked;
    const piped = mock.method(incoming, "pipe");
    await assert.rejects(readSmallBody(incoming), /at most 262144 bytes/);
    const [decoder] = piped.mock.calls.map(
      ({ arguments: [target] }) => target as unknown as Readable,
    );
    assert.equal(decoder?.destroyed, true);
  });
});

describe("a small body", () => {
  const server = useServer();

  async function receive(packets: readonly string[]) {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    const asked = once(server, "request") as Promise<Parameters<typeof readSmallBody>>;
    const [first = "", ...others] = packets;
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n${first}`);
    const [incoming] = await asked;
    return { incoming, socket, others };
  }

  it("is read to its end if it comes in several packets", async () => {
    const { incoming, socket, others } = await receive(["[1,", " 2, 3]"]);
    const read = readSmallBody(incoming);
    for (const packet of others) socket.write(packet);
    assert.equal((await read).toString(), "[1, 2, 3]");
  });

  it("is refused if the client disconnected before it was read", async () => {
    const { incoming, socket } = await receive(["[1,"]);
    socket.destroy();
    await waitFor("the request to be closed", () => incoming.destroyed);
    let failure: unknown;
    readSmallBody(incoming).catch((error: unknown) => (failure = error));
    await waitFor("the reading to fail", () => failure !== undefined);
    assert.match(String(failure), /The body is incomplete/);
  });
});
