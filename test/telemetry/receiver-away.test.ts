// A receiver that is away, slow, overloaded or broken: spans are dropped and counted, and neither requests nor the stop of the
// service wait for it.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { EndedSpan } from "../../src/telemetry/span.ts";
import { OtlpClient } from "../../src/telemetry/otlp/otlp-client.ts";
import { traceRequestFields } from "../../src/telemetry/otlp/otlp-fields.ts";
import { SpanQueue } from "../../src/telemetry/span-queue.ts";
import { makeCustomer } from "../support/customer.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { type OtlpReceiver, startOtlpReceiver } from "./otlp-receiver.ts";

const nothing = { resourceSpans: [] };

describe("an export", () => {
  let receiver: OtlpReceiver;
  let failures: string[];
  before(async () => (receiver = await startOtlpReceiver()));
  after(() => receiver.close());
  beforeEach(() => {
    failures = [];
    receiver.behave({ status: 200 });
  });

  function makeClient(timeoutMs: number, url = `${receiver.url}/v1/traces`): OtlpClient {
    return new OtlpClient({
      url: new URL(url),
      headers: { "x-api-key": "secret" },
      protocol: "http/protobuf",
      compression: "none",
      timeoutMs,
      fields: traceRequestFields,
      userAgent: "test",
      onFailure: (reason) => failures.push(reason),
    });
  }

  it("is repeated while the receiver is overloaded, and then accepted", async () => {
    receiver.behave({ status: 503, retryAfter: "0.01" });
    const first = receiver.exports.length;
    const client = makeClient(30_000);
    const sent = client.send(nothing);
    await waitFor("the first attempt", () => receiver.exports[first]);
    receiver.behave({ status: 200 });
    assert.deepEqual([await sent, failures], [true, []]);
    client.close()[Symbol.dispose]();
  });

  it("is not repeated where the receiver rejects it, or asks for a longer wait than it may take", async () => {
    const client = makeClient(1_000);
    for (const behaviour of [{ status: 400 }, { status: 307 }, { status: 429, retryAfter: "60" }]) {
      const first = receiver.exports.length;
      receiver.behave(behaviour);
      assert.equal(await client.send(nothing), false);
      assert.equal(receiver.exports.length, first + 1);
    }
    assert.deepEqual(failures, ["status 400", "status 307", "status 429"]);
    client.close()[Symbol.dispose]();
  });

  it("ends when the receiver does not answer in time, or is away", async () => {
    receiver.behave("hang");
    const slow = makeClient(100);
    assert.equal(await slow.send(nothing), false);
    const absent = makeClient(100, "http://127.0.0.1:1/v1/traces?token=secret");
    assert.equal(await absent.send(nothing), false);
    assert.deepEqual(failures, ["timeout", "ECONNREFUSED"]);
    for (const client of [slow, absent]) client.close()[Symbol.dispose]();
  });

  it("in progress when the process stops is not repeated, and ends in time", async () => {
    receiver.behave({ status: 503 });
    const client = makeClient(60_000);
    const first = receiver.exports.length;
    const sent = client.send(nothing);
    await waitFor("the first attempt", () => receiver.exports[first]);
    const end = client.close();
    assert.equal(await sent, false);
    assert.deepEqual(failures, ["status 503"]);
    end[Symbol.dispose]();
    assert.equal(await client.send(nothing), false);
  });
});

describe("the queue of spans", () => {
  const span = {} as EndedSpan;

  it("drops and counts what exceeds its bound, while the receiver hangs", async () => {
    const dropped: [number, string][] = [];
    const accept = Promise.withResolvers<boolean>();
    const batches: number[] = [];
    const queue = new SpanQueue({
      queueMax: 10,
      batchMax: 4,
      delayMs: 60_000,
      send: (spans) => {
        batches.push(spans.length);
        return accept.promise;
      },
      onDropped: (...drop) => dropped.push(drop),
    });
    for (let count = 0; count < 20; count += 1) queue.add(span);
    assert.deepEqual([batches, dropped.length], [[4], 6]);
    accept.resolve(true);
    await queue.close();
    assert.deepEqual(batches, [4, 4, 4, 2]);
    assert.deepEqual(new Set(dropped.map(String)), new Set(["1,queue"]));
    queue.add(span);
    assert.equal(dropped.length, 7);
  });

  it("counts the spans of an export that fails, and continues with the next", async () => {
    const dropped: [number, string][] = [];
    const answers = [false, true];
    const queue = new SpanQueue({
      queueMax: 10,
      batchMax: 2,
      delayMs: 1,
      send: async () => answers.shift() ?? true,
      onDropped: (...drop) => dropped.push(drop),
    });
    for (let count = 0; count < 5; count += 1) queue.add(span);
    await waitFor("the delay of the last one", () => (answers.length === 0 ? true : undefined));
    await queue.close();
    assert.deepEqual(dropped, [[2, "export"]]);
  });
});

describe("the service", () => {
  it("answers and stops while the receiver hangs, counts what it dropped, and logs no secret", async () => {
    const receiver = await startOtlpReceiver();
    receiver.behave("hang");
    const service = await startService({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/secret-path`,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=secret-header",
        OTEL_EXPORTER_OTLP_TIMEOUT: "300",
        OTEL_METRIC_EXPORT_INTERVAL: "100",
        OTEL_BSP_MAX_QUEUE_SIZE: "2",
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "1",
      },
    });
    try {
      const { token } = await makeCustomer(service.app, service.client);
      const ask = { method: "GET", path: "/v2/transaction", token, query: { tx_id: "a" } };
      for (let count = 0; count < 10; count += 1) {
        assert.equal((await service.client.send(ask)).status, 404);
      }
      const text = await waitFor("failures of both to be counted", async () => {
        const { text: found } = await service.client.send({ method: "GET", path: "/metrics" });
        return found.includes('signal="traces"') && found.includes('signal="metrics"')
          ? found
          : undefined;
      });
      assert.match(text, /^sluice_spans_dropped_total\{reason="queue"\} [1-9]/m);
      assert.match(text, /^sluice_spans_dropped_total\{reason="export"\} [1-9]/m);
    } finally {
      await service.stop();
      await receiver.close();
    }
    const log = service.log.join("");
    assert.match(log, /"receiver":"127\.0\.0\.1:\d+","reason":"timeout"/);
    assert.ok(log.includes('"msg":"stopped"') && !log.includes("secret"));
  });

  it("loads nothing of it where no endpoint and no exporter is set", async () => {
    const service = await startService({
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "TRUE" },
    });
    const { token } = await makeCustomer(service.app, service.client);
    const headers = { traceparent: "malformed" };
    const ask = { method: "GET", path: "/v2/transaction", token, query: { tx_id: "a" }, headers };
    assert.equal((await service.client.send(ask)).status, 404);
    await service.stop();
    assert.equal(/telemetry/.exec(service.log.join("")), null);
  });
});
