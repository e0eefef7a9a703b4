// How a serving process ends: SIGTERM finishes what is in flight, refuses new requests, closes the
// store and exits with 0. Separate processes, as operators run them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, it } from "node:test";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { operate, startServer } from "../support/server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { linesOf, openStream } from "../support/stream-client.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { typeNamed } from "./scene.ts";

const folder = makeTempFolder();
const environment = testEnvironment(folder, { LOG_LEVEL: "trace" });
const type = typeNamed("person");
const records = makeRecordGenerator(7);
let running: ServerProcess | undefined;

type Asked = Pick<ServerProcess, "client">;

afterEach(async () => {
  await running?.end("SIGKILL");
  running = undefined;
});

async function start(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  running = await startServerProcess({ ...environment, ...more });
  return running;
}

/** A customer of the server, created next to it. */
function customerOf({ client }: ServerProcess): Promise<Customer> {
  return operate(environment, (app) => makeCustomer(app, client));
}

/** Asks a server of this process, started on what the other one left. */
async function askAgain(work: (again: Asked) => Promise<void>): Promise<void> {
  const again = await startServer({ folder });
  try {
    await work(again);
  } finally {
    await again.stop();
  }
}

function check({ client }: Asked, token: string, id: unknown) {
  return client.send({
    method: "GET",
    path: "/v2/person",
    query: { person_id: String(id) },
    token,
  });
}

/** Resolves when the server no longer accepts connections; it first closes those it has. */
async function refused({ client }: ServerProcess): Promise<void> {
  await waitFor("connections to be refused", () =>
    client.send({ method: "GET", path: "/health/live" }).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED",
    ),
  );
}

describe("SIGTERM", () => {
  it("lets a stream finish, and refuses connections meanwhile", async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: "600000" });
    const { token } = await customerOf(server);
    const [first, second] = [records.record(type), records.record(type)];
    const stream = openStream(server.address, { method: "POST", path: "/v2/person", token });
    await stream.write(`${JSON.stringify(first)}\n`);
    const { person_id: id } = first;
    await waitFor("the first record", async () => (await check(server, token, id)).status === 200);
    let ended: unknown;
    void server.end("SIGTERM").then((code) => (ended = code));
    await refused(server);
    await stream.write(`${JSON.stringify(second)}\n`);
    const reply = await stream.end();
    assert.equal(linesOf(reply).at(-1)?.["write_count"], 2);
    // The client has not closed its connection, and the grace period would allow waiting for that.
    assert.equal(await waitFor("the server to end", () => ended), 0, server.output().err);
    await askAgain(async (again) => {
      assert.equal((await check(again, token, second["person_id"])).status, 200);
    });
  });

  it("does not wait for connections that have sent nothing", async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: "600000" });
    const silent = connect(Number(new URL(server.address).port), "127.0.0.1");
    silent.on("error", () => undefined);
    await once(silent, "connect");
    await server.client.send({ method: "GET", path: "/health/live" });
    assert.equal(await server.end("SIGTERM"), 0, server.output().err);
  });

  it("loses nothing that was answered with success", async () => {
    const server = await start();
    const { token } = await customerOf(server);
    const answered: unknown[] = [];
    const sending = Array.from({ length: 8 }, async () => {
      for (;;) {
        const body = records.record(type);
        const ask = { method: "POST", path: "/v2/person", token, body };
        const reply = await server.client.send(ask).catch(() => undefined);
        if (reply === undefined || reply.status === 503) return;
        assert.equal(reply.status, 201);
        answered.push(body["person_id"]);
      }
    });
    await waitFor("some replies", () => answered.length > 50);
    assert.equal(await server.end("SIGTERM"), 0, server.output().err);
    await Promise.all(sending);
    await askAgain(async (again) => {
      for (const id of answered) assert.equal((await check(again, token, id)).status, 200);
    });
  });

  it("or instead SIGINT waits no longer than SHUTDOWN_GRACE_MS, and keeps what was durable", async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: "100" });
    const { token } = await customerOf(server);
    const record = records.record(type);
    const stream = openStream(server.address, { method: "POST", path: "/v2/person", token });
    await stream.write(`${JSON.stringify(record)}\n`);
    const { person_id: id } = record;
    await waitFor("the record", async () => (await check(server, token, id)).status === 200);
    assert.equal(await server.end("SIGINT"), 0, server.output().err);
    await askAgain(async (again) => {
      assert.equal((await check(again, token, id)).status, 200);
    });
  });

  it("drops lists that wait to be written after the grace period, and keeps those that were answered", async () => {
    const [listsMax, itemsOfList] = [12, 5_000];
    const server = await start({ SHUTDOWN_GRACE_MS: "0", RATE_LIMIT_PER_SECOND: "0" });
    const { token } = await customerOf(server);
    const { additional_properties: _, ...some } = records.record(typeNamed("transaction"));
    const answered: number[] = [];
    const sending = Array.from({ length: listsMax }, async (_unused, list) => {
      const items = Array.from({ length: itemsOfList }, (_item, index) => ({
        ...some,
        tx_id: `list-${list}-${index}`,
      }));
      const ask = { method: "POST", path: "/v2/transactions/batch", token, body: items };
      const reply = await server.client.send(ask).catch(() => undefined);
      if (reply?.status === 200) answered.push(list);
    });
    // By then the others have been read, and wait for the writer.
    await waitFor("some replies", () => answered.length >= 4);
    assert.equal(await server.end("SIGTERM"), 0, server.output().err);
    await Promise.all(sending);
    const stored: number[] = [];
    await askAgain(async (again) => {
      for (let list = 0; list < listsMax; list += 1) {
        const query = { tx_id: `list-${list}-${itemsOfList - 1}` };
        const ask = { method: "GET", path: "/v2/transaction", query, token };
        if ((await again.client.send(ask)).status === 200) stored.push(list);
      }
    });
    for (const list of answered) assert.ok(stored.includes(list), `list ${list} is lost`);
    // The list being written, and one whose reply was cut off.
    const unanswered = stored.length - answered.length;
    assert.ok(
      unanswered <= 3,
      `${unanswered} lists were written after the end of the grace period`,
    );
  });
});

describe("the log of a server", () => {
  it("at its most verbose level contains no credential and no content of a record or reason", async () => {
    const server = await start();
    const { token, apiKey } = await customerOf(server);
    const marks = ["Marked-Name", "marked-id", "Marked-Reason"];
    const [name, id, reason] = marks;
    const body = records.record(type, { name, person_id: id });
    const headers = { "x-request-id": "seen" };
    const ask = { path: "/v2/person", token, headers };
    await server.client.send({ ...ask, method: "POST", body });
    await server.client.send({ ...ask, method: "POST", body });
    await server.client.send({ ...ask, method: "POST", body: { ...body, name: [name] } });
    await server.client.send({ ...ask, method: "POST", body: `{"${name}":` });
    await server.client.send({ ...ask, method: "PUT", body: { person_id: id } });
    await server.client.send({ ...ask, path: `/v2/person?person_id=${id}`, method: "GET" });
    await server.client.send({ ...ask, path: `/v2/${name}`, method: "GET", token: apiKey });
    await server.client.send({ ...ask, method: "DELETE", body: { person_id: id, reason } });
    await waitFor("the deletion to be logged", () =>
      /deletion completed/.test(server.output().err),
    );
    assert.equal(await server.end("SIGTERM"), 0);
    const { out, err } = server.output();
    for (const secret of [token, apiKey, ...marks]) {
      assert.ok(!(out + err).includes(secret), `${secret.slice(0, 12)} is in the log`);
    }
  });
});
