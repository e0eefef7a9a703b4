// A service under pressure over HTTP: large bodies and streams are rejected, everything else is
// served, and rejected requests are accepted once the pressure is over. The measurements are
// simulated; the reactions are real.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { limits } from "../../src/domain/limits.ts";
import { fetchToken } from "../support/customer.ts";
import type { Ask, Reply } from "../support/http-client.ts";
import { linesOf, openStream } from "../support/stream-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { check, idOf, startScene, typeNamed } from "./scene.ts";
import { pressureRetrySeconds } from "../../src/http/load/load-shedding.ts";

const measured = { eventLoopDelayMs: 0, residentBytes: 0 };
/** With it, scrapes count against no limit. */
const metricsToken = "a-token-of-the-metrics";
const scene = await startScene({
  environment: { METRICS_TOKEN: metricsToken },
  probe: {
    eventLoopDelayMs: () => measured.eventLoopDelayMs,
    residentBytes: () => measured.residentBytes,
  },
});
const { client, records } = scene;
const customer = await scene.makeCustomer();
const { organizationId, token } = customer;
const person = typeNamed("person");
after(() => scene.stop());

/** A new list of records of at least this many bytes as JSON. */
function listOf(bytesMin: number): readonly unknown[] {
  const list: unknown[] = [];
  for (let bytes = 0; bytes < bytesMin;) {
    const record = records.record(person);
    list.push(record);
    bytes += JSON.stringify(record).length;
  }
  return list;
}

const add = { method: "POST", path: "/v2/person", token } as const;
const large = (): Ask => ({ ...add, body: listOf(limits.shedBodyBytesMin) });
const compressed = (): Ask => ({
  ...add,
  body: gzipSync(JSON.stringify(listOf(100))),
  headers: { "content-type": "application/json", "content-encoding": "gzip" },
});
const stream = (): Ask => ({
  ...add,
  body: `${JSON.stringify(records.record(person))}\n`,
  headers: { "content-type": "application/x-ndjson" },
});

function assertShed({ status, body, headers }: Reply): void {
  assert.deepEqual([status, body.code], [503, 50301]);
  assert.match(String(body.message), /under heavy load/);
  assert.equal(headers["retry-after"], String(pressureRetrySeconds));
}

async function measureUntil(name: string, state: typeof measured, level: number): Promise<void> {
  Object.assign(measured, state);
  await waitFor(`sluice_pressure of ${name} to be ${level}`, async () => {
    const { text } = await client.send({ method: "GET", path: "/metrics", token: metricsToken });
    return text.includes(`sluice_pressure{cause="${name}"} ${level}\n`);
  });
}

const none = { eventLoopDelayMs: 0, residentBytes: 0 };

describe("a service whose event loop is late", () => {
  before(() => measureUntil("event_loop", { ...none, eventLoopDelayMs: 500 }, 2));

  it("refuses large bodies and streams with 503 and Retry-After, and writes nothing", async () => {
    const counts = await scene.service.app.store.countRecords(organizationId);
    for (const ask of [large(), compressed(), stream()]) assertShed(await client.send(ask));
    assert.deepEqual(await scene.service.app.store.countRecords(organizationId), counts);
  });

  it("does not send 100-continue for a body that it would refuse", async () => {
    const reply = await client.send({
      ...large(),
      headers: { expect: "100-continue", "content-type": "application/json" },
    });
    assertShed(reply);
  });

  it("serves health checks, token requests, small requests and reads", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      assert.equal((await client.send({ method: "GET", path })).status, 200);
    }
    assert.ok(await fetchToken(client, customer));
    const record = await scene.addRecord(customer, person);
    const list = await client.send({ ...add, body: listOf(1) });
    assert.equal(list.status, 201, list.text);
    const found = await check(scene, customer, { type: person, id: idOf(person, record) });
    assert.equal(found.status, 200);
  });

  it("counts what it refuses", async () => {
    const { text } = await client.send({ method: "GET", path: "/metrics", token: metricsToken });
    assert.match(text, /^sluice_load_shed_total\{kind="body"\} [1-9]/m);
    assert.match(text, /^sluice_load_shed_total\{kind="stream"\} [1-9]/m);
  });

  it("accepts the same requests when the pressure is over", async () => {
    const asks = [large(), compressed(), stream()];
    for (const ask of asks) assertShed(await client.send(ask));
    await measureUntil("event_loop", none, 0);
    for (const ask of asks) assert.equal((await client.send(ask)).status, 201);
  });
});

describe("a service that has kept the memory of earlier work", () => {
  const kept = { ...none, residentBytes: limits.residentBytesCritical };
  after(() => measureUntil("memory", none, 0));

  it("refuses nothing while it does not grow, and large work again when it does", async () => {
    Object.assign(measured, kept);
    await measureUntil("memory", kept, 0);
    const replies = await Promise.all(Array.from({ length: 24 }, () => client.send(large())));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
    const open = openStream(scene.service.address, add);
    await open.write(`${JSON.stringify(records.record(person))}\n`);
    const grown = { ...none, residentBytes: kept.residentBytes + limits.retainedBytesMax };
    await measureUntil("memory", grown, 2);
    for (const ask of [large(), compressed(), stream()]) assertShed(await client.send(ask));
    assert.equal((await open.end()).status, 201);
  });
});

describe("a service whose memory is full", () => {
  const full = { ...none, residentBytes: limits.residentBytesCritical };
  after(() => measureUntil("memory", none, 0));

  it("accepts one large request at a time, and finishes what it has accepted", async () => {
    const open = openStream(scene.service.address, add);
    const [first, last] = [records.record(person), records.record(person)];
    await open.write(`${JSON.stringify(first)}\n`);
    await waitFor("the first line of the stream to be stored", async () => {
      const { status } = await check(scene, customer, { type: person, id: idOf(person, first) });
      return status === 200;
    });
    await measureUntil("memory", full, 2);
    for (const ask of [large(), compressed(), stream()]) assertShed(await client.send(ask));
    await open.write(`${JSON.stringify(last)}\n`);
    const reply = await open.end();
    assert.deepEqual([reply.status, linesOf(reply).at(-1)?.["write_count"]], [201, 2]);
    for (const ask of [large(), compressed(), stream()]) {
      assert.equal((await client.send(ask)).status, 201);
    }
  });
});
