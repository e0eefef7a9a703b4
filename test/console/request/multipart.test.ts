// How long the parts of a form with a file may take, on a clock that the test moves.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { readFileForm } from "../../../src/console/request/multipart.ts";
import { AppError } from "../../../src/domain/error.ts";
import { limits } from "../../../src/domain/limits.ts";

const field = '--x\r\nContent-Disposition: form-data; name="type"\r\n\r\ntransaction\r\n';
const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntx_id\n';

/** Resolves when the work of the event loop so far is done, without a timer. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await turn();
}

/** A request of which this has arrived. */
async function send(start: string) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const sending = request({ port, method: "POST", path: "/", headers });
  sending.on("error", () => undefined);
  sending.write(start);
  const [raw] = (await once(server, "request")) as [IncomingMessage];
  const close = (): void => {
    sending.destroy();
    server.close();
  };
  return { sending, received: { raw, headers }, close };
}

async function openForm(start: string) {
  const { received, ...sent } = await send(start);
  let settled: unknown;
  let hasFile = false;
  readFileForm(received, ({ content }) => {
    hasFile = true;
    return text(content);
  }).then(
    (content) => (settled = content),
    (error: unknown) => (settled = error),
  );
  await until(() => received.raw.readableFlowing === true);
  return { ...sent, settled: () => settled, hasFile: () => hasFile };
}

describe("a form with a file", () => {
  it("is refused where its file has not begun in the time of a body, whatever fields arrive", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const form = await openForm(field);
    test.mock.timers.tick(limits.bodyTimeoutMs - 1);
    form.sending.write(field);
    await turn();
    assert.equal(form.settled(), undefined);
    test.mock.timers.tick(1);
    await turn();
    const error = form.settled();
    form.close();
    assert.ok(error instanceof AppError);
    assert.equal(error.errorName, "request_timeout");
  });

  it("is refused if the client disconnected before", async () => {
    const { received, close } = await send(field);
    close();
    await until(() => received.raw.closed);
    let failure: unknown;
    readFileForm(received, ({ content }) => text(content)).catch(
      (error: unknown) => (failure = error),
    );
    await until(() => failure !== undefined);
    assert.match(String(failure), /did not arrive completely/);
  });

  it("has one file; what a further one contains is not received", async () => {
    const form = await openForm(field + file);
    await until(form.hasFile);
    form.sending.end(`1\n\r\n${file}2\n\r\n--x--\r\n`);
    await until(() => form.settled() !== undefined);
    form.close();
    assert.equal(form.settled(), "tx_id\n1\n");
  });

  it("has longer for the file", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const form = await openForm(field + file);
    await until(form.hasFile);
    test.mock.timers.tick(limits.bodyTimeoutMs + 1);
    form.sending.end("1\n\r\n--x--\r\n");
    await until(() => form.settled() !== undefined);
    form.close();
    assert.equal(form.settled(), "tx_id\n1\n");
  });
});
