// Endpoints for monitoring: liveness, readiness, metrics.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { publicRoutes } from "../../src/process/operations.ts";
import type { Reply } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { check, pathOf, startScene, typeNamed } from "./scene.ts";

const scene = await startScene();
const { client, service } = scene;
const type = typeNamed("risk_assessment");
after(() => scene.stop());

function get(path: string): Promise<Reply> {
  return client.send({ method: "GET", path });
}

/** An answer is cached for a second. */
function waitForReadiness(status: number): Promise<Reply> {
  return waitFor(`readiness to be ${status}`, async () => {
    const reply = await get("/health/ready");
    return reply.status === status ? reply : undefined;
  });
}

describe("/health", () => {
  it("reports that the process lives and that the store responds, without a credential", async () => {
    for (const [path, status] of [
      ["/health/live", "live"],
      ["/health/ready", "ready"],
    ] as const) {
      const reply = await get(path);
      assert.deepEqual([reply.status, reply.body], [200, { status }]);
    }
  });

  it("is alive but not ready while the store does not respond, and does not reveal why", async () => {
    const restore = service.breakStore("probeWrite", new Error("disk /secret is on fire"));
    assert.equal((await get("/health/live")).status, 200);
    const reply = await waitForReadiness(503);
    assert.equal(reply.body.code, 50301);
    assert.ok(Number(reply.headers["retry-after"]) >= 1);
    assert.doesNotMatch(reply.text, /fire|secret/);
    restore();
    await waitForReadiness(200);
    const told = service.log.filter((line) => /"msg":"(?:not ready|ready again)"/.test(line));
    assert.equal(told.length, 2, "each change is logged once");
    assert.match(told[0] ?? "", /disk \/secret is on fire/);
    assert.match(told[0] ?? "", /"why":"The service is not ready; try again\."/);
  });

  it("is not ready while it is stopping, without a log line for each probe", async () => {
    const stopping = await startService();
    stopping.beginClosing();
    const before = stopping.log.length;
    const reply = await stopping.client.send({ method: "GET", path: "/health/ready" });
    assert.equal(reply.status, 503);
    assert.equal(stopping.log.length, before);
    await stopping.stop();
  });

  it("accepts only GET and HEAD", async () => {
    for (const { path, document } of publicRoutes) {
      if (document === undefined) continue;
      const reply = await client.send({ method: "POST", path, body: {} });
      assert.deepEqual(
        [reply.status, reply.body.code, reply.headers.allow],
        [405, 40501, "GET, HEAD"],
      );
      assert.equal((await client.send({ method: "HEAD", path })).status, 200);
    }
  });
});

async function figure(line: string): Promise<number> {
  const reply = await get("/metrics");
  assert.match(reply.headers["content-type"] ?? "", /^text\/plain; version=0\.0\.4/);
  const found = reply.text.split("\n").find((text) => text.startsWith(`${line} `));
  return Number(found?.slice(line.length) ?? 0);
}

describe("/metrics", () => {
  it("counts requests by operation and status, records by type, and refusals by limit", async () => {
    const customer = await scene.makeCustomer();
    const limited = await scene.makeCustomer({ rateLimitPerSecond: 1 });
    await scene.addRecord(customer, type);
    const list = [scene.records.record(type), scene.records.record(type)];
    await scene.ask(customer, { method: "POST", path: pathOf(type), body: list });
    await scene.ask(customer, { method: "POST", path: pathOf(type), body: {} });
    await check(scene, customer, { type, id: "nobody" });
    for (let sent = 0; sent < 4; sent += 1) await check(scene, limited, { type, id: "nobody" });
    await client.send({ method: "GET", path: "/v2/nothing", token: customer.token });
    const count = "sluice_request_duration_seconds_count";
    for (const [line, expected] of [
      [`${count}{operation="addRiskAssessment",status="201"}`, 2],
      [`${count}{operation="addRiskAssessment",status="400"}`, 1],
      [`${count}{operation="checkRiskAssessment",status="404"}`, 3],
      [`${count}{operation="checkRiskAssessment",status="429"}`, 2],
      [`${count}{operation="other",status="404"}`, 1],
      [`sluice_records_written_total{resource_type="risk_assessment"}`, 3],
      [`sluice_rate_limited_total{limit="organization"}`, 2],
    ] as const) {
      assert.equal(await figure(line), expected, line);
    }
  });

  it("does not count a repeated request's results twice", async () => {
    const customer = await scene.makeCustomer();
    const person = typeNamed("person");
    const line = 'sluice_records_written_total{resource_type="person"}';
    const before = await figure(line);
    const ask = {
      method: "POST",
      path: pathOf(person),
      headers: { "idempotency-key": "counted once" },
      body: [scene.records.record(person), scene.records.record(person)],
    };
    for (let sent = 0; sent < 3; sent += 1) {
      const reply = await scene.ask(customer, ask);
      assert.deepEqual([reply.status, reply.body.write_count], [201, 2]);
    }
    assert.equal((await figure(line)) - before, 2);
  });

  it("contains no organization, id, key or token", async () => {
    const customer = await scene.makeCustomer();
    const record = await scene.addRecord(customer, type);
    const { text } = await get("/metrics");
    for (const secret of [customer.organizationId, customer.keyId, String(record[type.idField])]) {
      assert.ok(!text.includes(secret));
    }
  });
});
